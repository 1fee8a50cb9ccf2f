#pragma once

#include <span>

#include "stallscope/base/embedded_file.h"

namespace stallscope {

/// page.html, as web/build.mjs bundled it.
std::span<const EmbeddedFile> PageFiles();

}  // namespace stallscope
