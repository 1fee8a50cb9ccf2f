#include "stallscope/supervise/line_buffer.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace stallscope {

void LineBuffer::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    unfinished_.append(piece.substr(0, std::min(piece.size(), longest_line_ - unfinished_.size())));
    if (end == std::string_view::npos) return;
    lines_.push_back(std::move(unfinished_));
    unfinished_.clear();
    bytes.remove_prefix(end + 1);
  }
}

bool LineBuffer::ReadFrom(int fd) {
  std::array<char, 16384> chunk{};
  while (true) {
    const ssize_t count = read(fd, chunk.data(), chunk.size());
    if (count > 0) {
      Append({chunk.data(), static_cast<std::size_t>(count)});
    } else if (count == 0) {
      return false;
    } else if (errno != EINTR) {
      return errno == EAGAIN;
    }
  }
}

std::optional<std::string> LineBuffer::Next() {
  if (lines_.empty()) return std::nullopt;
  std::string line = std::move(lines_.front());
  lines_.pop_front();
  return line;
}

}  // namespace stallscope
