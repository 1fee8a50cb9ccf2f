#include "stallscope/machine/file_line.h"

namespace stallscope {

std::string Trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string FirstLine(const Root& root, const std::string& path) {
  const std::string text = ReadText(root, path).value_or("");
  return Trimmed(text.substr(0, text.find('\n')));
}

}  // namespace stallscope
