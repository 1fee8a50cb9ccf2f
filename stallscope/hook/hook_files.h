#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stallscope {

/// One file of python/, as it was when the command was built.
struct HookFile {
  std::string name;  ///< relative, as "stallscope_hook/start.py"
  std::string text;
};

const std::vector<HookFile>& HookFiles();

/// Lays them out below the folder, for PYTHONPATH.
void WriteHookFiles(const std::filesystem::path& folder);

}  // namespace stallscope
