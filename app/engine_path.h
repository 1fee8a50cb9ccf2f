#pragma once

#include <filesystem>

namespace stallscope {

/// stallscope-engine beside this program, in ../libexec/stallscope of an installation, or what
/// STALLSCOPE_ENGINE names. Throws Error where there is none.
std::filesystem::path FindEngine();

}  // namespace stallscope
