#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace stallscope {

/// Puts lines together from bytes that arrive in pieces. A line longer than the limit is cut there and
/// its rest dropped, so that a child gone wild cannot fill our memory.
class LineBuffer {
 public:
  explicit LineBuffer(std::size_t longest_line = std::size_t{1} << 20) : longest_line_(longest_line) {}

  void Append(std::string_view bytes);

  /// Appends all that a nonblocking descriptor has at the moment. False at its end: the writer closed it.
  bool ReadFrom(int fd);

  /// The oldest complete line, without its line feed.
  std::optional<std::string> Next();

  /// What came after the last line feed.
  const std::string& unfinished() const { return unfinished_; }

 private:
  std::size_t longest_line_;
  std::deque<std::string> lines_;
  std::string unfinished_;
};

}  // namespace stallscope
