#include "stallscope/supervise/log_tail.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace stallscope {

std::vector<std::string> LastLines(const std::filesystem::path& log_file, std::size_t count) {
  constexpr std::streamoff kWindow = 65536;
  std::ifstream file(log_file, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff size = file.tellg();
  const std::streamoff start = std::max<std::streamoff>(0, size - kWindow);
  file.seekg(start);
  std::vector<std::string> lines;
  std::string line;
  // The window may begin inside a line: that piece is no line.
  if (start > 0) std::getline(file, line);
  while (std::getline(file, line)) lines.push_back(line);
  if (lines.size() > count)
    lines.erase(lines.begin(), std::prev(lines.end(), static_cast<std::ptrdiff_t>(count)));
  return lines;
}

}  // namespace stallscope
