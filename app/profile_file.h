#pragma once

#include <filesystem>
#include <string>

#include "stallscope/document/profile.h"

namespace stallscope {

/// The document itself, or the one in the folder that a run left it in. Throws Error where that holds none.
std::filesystem::path ProfileFileAt(const std::string& given);

/// Reads it. Throws Error.
Profile ReadProfileAt(const std::string& given);

}  // namespace stallscope
