#include "stallscope/hook/path_search.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace stallscope {
namespace {

namespace fs = std::filesystem;

bool IsExecutable(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::vector<fs::path> FoldersOfPath(const std::string& path_variable) {
  std::vector<fs::path> folders;
  std::string_view rest = path_variable;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    folders.emplace_back(end == 0 ? "." : rest.substr(0, end));  // an empty entry is where we are
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

std::optional<fs::path> FindExecutable(const std::string& name, const std::string& path_variable) {
  if (name.find('/') != std::string::npos) {
    return IsExecutable(name) ? std::optional(fs::absolute(name)) : std::nullopt;
  }
  if (name.empty()) return std::nullopt;
  for (const fs::path& folder : FoldersOfPath(path_variable)) {
    if (IsExecutable(folder / name)) return fs::absolute(folder / name);
  }
  return std::nullopt;
}

bool IsPythonName(const std::string& file_name) {
  std::string_view rest = file_name;
  if (rest.starts_with("python")) {
    rest.remove_prefix(6);
  } else if (rest.starts_with("pypy")) {
    rest.remove_prefix(4);
  } else {
    return false;
  }
  // Builds: d for debugging, t without the global lock, m of before 3.8.
  while (!rest.empty() && std::string_view("dtm").find(rest.back()) != std::string_view::npos) {
    rest.remove_suffix(1);
  }
  const bool only_version = rest.find_first_not_of("0123456789.") == std::string_view::npos;
  return only_version && !rest.starts_with('.') && !rest.ends_with('.');
}

}  // namespace stallscope
