#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stallscope {

/// The folders of a PATH, in its order.
std::vector<std::filesystem::path> FoldersOfPath(const std::string& path_variable);

/// What a shell would start: a name with a slash is a path, any other is looked up. Absolute, but links are
/// not followed: the interpreter of a virtual environment is a link, and its own path is what makes it one.
std::optional<std::filesystem::path> FindExecutable(const std::string& name,
                                                    const std::string& path_variable);

/// "python", "python3.11", "pypy3": how interpreters are called; "python3-config" is none.
bool IsPythonName(const std::string& file_name);

}  // namespace stallscope
