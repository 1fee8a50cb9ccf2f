#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stallscope {

/// The Python that a script's first line asks for.
struct Shebang {
  /// A path, or a name to be looked up in PATH (`#!/usr/bin/env python3`).
  std::string interpreter;
  std::vector<std::string> options;
};

/// Nothing where the file is no script, or not one of Python.
std::optional<Shebang> ReadShebang(const std::filesystem::path& file);

}  // namespace stallscope
