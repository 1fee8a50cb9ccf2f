#include "stallscope/base/root.h"

#include <fstream>
#include <sstream>

namespace stallscope {

std::optional<std::string> ReadText(const Root& root, const std::string& relative_path) {
  std::ifstream file(root.path / relative_path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) return std::nullopt;
  return text.str();
}

}  // namespace stallscope
