#include "app/status_line.h"

#include <unistd.h>

#include <iostream>

#include "stallscope/base/clock.h"

namespace stallscope {
namespace {

constexpr double kLineEverySeconds = 10;
constexpr double kRedrawEverySeconds = 0.1;
constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

StatusLine::StatusLine(const OutputOptions& output)
    : show_(!output.quiet),
      is_terminal_(isatty(STDERR_FILENO) == 1),
      style_(output.StyleOf(STDERR_FILENO)),
      last_s_(MonotonicSeconds()) {}

StatusLine::~StatusLine() {
  if (is_terminal_ && shown_) std::cerr << kClearLine << std::flush;
}

void StatusLine::Show(const std::function<std::string()>& line) {
  const double now_s = MonotonicSeconds();
  if (!show_ || now_s - last_s_ < (is_terminal_ ? kRedrawEverySeconds : kLineEverySeconds)) return;
  last_s_ = now_s;
  shown_ = true;
  if (is_terminal_) {
    // A line that wraps could not be drawn over.
    std::cerr << kClearLine << line().substr(0, static_cast<std::size_t>(style_.width - 1)) << std::flush;
  } else {
    std::cerr << line() << std::endl;
  }
}

}  // namespace stallscope
