#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace stallscope {

/// The operating system's files are read below this folder, so that a recorded tree stands in for
/// any machine.
struct Root {
  std::filesystem::path path = "/";
};

/// The whole text of a file below the root; nothing where it cannot be read.
std::optional<std::string> ReadText(const Root& root, const std::string& relative_path);

}  // namespace stallscope
