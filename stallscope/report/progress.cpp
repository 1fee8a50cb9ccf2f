#include "stallscope/report/progress.h"

#include <fmt/core.h>

#include <utility>

#include "stallscope/base/units.h"

namespace stallscope {
namespace {

constexpr double kLineEverySeconds = 10;
constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

std::string ProgressLine(const MeasureProgress& progress) {
  const std::string condition = ConditionName(progress.condition);
  std::string line = progress.round ? fmt::format("round {}, {}", *progress.round + 1, condition)
                                    : fmt::format("warming up, {}", condition);
  if (progress.widest_half_width) {
    line += fmt::format(": uncertain by {:.1f} % of a step, {:.1f} % asked",
                        100 * *progress.widest_half_width, 100 * progress.tolerance);
  }
  if (progress.rounds_polluted > 0) line += fmt::format(", {} disturbed", progress.rounds_polluted);
  return line + fmt::format("; {} so far, at most {} more", FormatDuration(Seconds(progress.elapsed_s)),
                            FormatDuration(Seconds(progress.remaining_s)));
}

ProgressPrinter::ProgressPrinter(std::ostream& out, bool is_terminal, const TextStyle& style,
                                 std::function<double()> clock)
    : out_(out), is_terminal_(is_terminal), style_(style), clock_(std::move(clock)) {}

ProgressPrinter::~ProgressPrinter() {
  if (is_terminal_ && last_s_) out_ << kClearLine << std::flush;
}

void ProgressPrinter::OnProgress(const MeasureProgress& progress) {
  const double now_s = clock_();
  if (!is_terminal_ && last_s_ && now_s - *last_s_ < kLineEverySeconds) return;
  last_s_ = now_s;
  const std::string line = ProgressLine(progress);
  if (is_terminal_) {
    // A line that wraps could not be drawn over.
    out_ << kClearLine << line.substr(0, static_cast<std::size_t>(style_.width - 1)) << std::flush;
  } else {
    out_ << line << std::endl;
  }
}

}  // namespace stallscope
