#pragma once

#include <filesystem>
#include <span>

#include "stallscope/base/embedded_file.h"

namespace stallscope {

/// The files of python/.
std::span<const EmbeddedFile> HookFiles();

/// Lays them out below the folder, for PYTHONPATH.
void WriteHookFiles(const std::filesystem::path& folder);

}  // namespace stallscope
