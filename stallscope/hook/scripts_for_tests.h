#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace stallscope {

/// Writes a file, with its folders.
inline std::filesystem::path MakeFile(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
  return path;
}

inline std::filesystem::path MakeExecutable(const std::filesystem::path& path, const std::string& text) {
  MakeFile(path, text);
  std::filesystem::permissions(path, std::filesystem::perms(0755));
  return path;
}

}  // namespace stallscope
