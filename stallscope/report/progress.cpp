#include "stallscope/report/progress.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "stallscope/base/units.h"

namespace stallscope {
namespace {

constexpr double kLineEverySeconds = 10;
constexpr const char* kClearRestOfLine = "\x1b[K";
constexpr const char* kClearBelow = "\x1b[J";

/// "38s", "2m10s", "1h05m": three of them share a line.
std::string ShortDuration(double seconds) {
  const auto total = static_cast<std::int64_t>(std::llround(std::max(0.0, seconds)));
  if (total < 60) return fmt::format("{}s", total);
  if (total < 3600) return fmt::format("{}m{:02}s", total / 60, total % 60);
  return fmt::format("{}h{:02}m", total / 3600, total % 3600 / 60);
}

std::string Place(const MeasureProgress& progress) {
  const std::string condition = ConditionName(progress.condition);
  std::string place = progress.round ? fmt::format("round {}, {}", *progress.round + 1, condition)
                                     : fmt::format("warming up, {}", condition);
  if (progress.rounds_polluted > 0) place += fmt::format(", {} disturbed", progress.rounds_polluted);
  return place;
}

std::string TimeLeft(const MeasureProgress& progress) {
  const std::string so_far = ShortDuration(progress.elapsed_s) + " so far, ";
  const std::string most = "at most " + ShortDuration(progress.remaining_s);
  if (!progress.likely_left_s) return so_far + most + " more";
  const double likely_s = std::min(*progress.likely_left_s, progress.remaining_s);
  return so_far + fmt::format("about {} more, {}", ShortDuration(likely_s), most);
}

std::string Precision(const MeasureProgress& progress) {
  if (!progress.widest_half_width) return "";
  return fmt::format("uncertain by {:.1f} % of a step, {:.1f} % asked", 100 * *progress.widest_half_width,
                     100 * progress.tolerance);
}

/// With commas where these fit.
std::string Joined(const std::vector<std::string>& parts, int columns) {
  std::string with_commas, without;
  for (const std::string& part : parts) {
    with_commas += (with_commas.empty() ? "" : ", ") + part;
    without += (without.empty() ? "" : " ") + part;
  }
  return ColumnsOf(with_commas) <= columns ? with_commas : without;
}

/// "solo 250ms", closely written: six rungs share a line.
std::vector<std::string> StepTimes(const MeasureProgress& progress) {
  std::vector<std::string> times;
  for (const auto& [condition, seconds] : progress.step_times_s) {
    std::string time = FormatSeconds(seconds);
    std::erase(time, ' ');
    times.push_back(ConditionName(condition) + " " + time);
  }
  return times;
}

/// "network 29.0±4.1 %"; without the second number where a single round gives no interval.
std::vector<std::string> StallsSoFar(const MeasureProgress& progress, const TextStyle& style) {
  std::vector<std::string> texts;
  if (!progress.stalls) return texts;
  const auto add = [&](const char* name, const std::optional<Stall>& stall) {
    if (!stall) return;
    const double half_width = stall->share.HalfWidth();
    const std::string uncertain =
        half_width > 0 ? fmt::format("{}{:.1f}", style.utf8 ? "±" : "+-", 100 * half_width) : "";
    texts.push_back(fmt::format("{} {:.1f}{} %", name, 100 * stall->share.mean, uncertain));
  };
  add("interconnect", progress.stalls->interconnect);
  add("network", progress.stalls->network);
  add("prep", progress.stalls->prep);
  add("fetch", progress.stalls->fetch);
  return texts;
}

}  // namespace

std::vector<std::string> ProgressLines(const MeasureProgress& progress, const TextStyle& style) {
  const int columns = style.width - 1;
  std::vector<std::string> lines = {Place(progress) + "; " + TimeLeft(progress),
                                    Joined(StepTimes(progress), columns),
                                    Joined(StallsSoFar(progress, style), columns)};
  const std::string precision = Precision(progress);
  if (lines.back().empty()) {
    lines.back() = precision;
  } else if (ColumnsOf(lines.back()) + 2 + ColumnsOf(precision) <= columns && !precision.empty()) {
    lines.back() += "; " + precision;
  }
  std::erase(lines, "");
  return lines;
}

std::string ProgressLine(const MeasureProgress& progress, const TextStyle& style) {
  constexpr int kAnyColumns = 1000;
  const std::string stalls = Joined(StallsSoFar(progress, style), kAnyColumns);
  std::string line = Place(progress);
  const char* between = ": ";
  for (const std::string& part : {stalls, Precision(progress), TimeLeft(progress)}) {
    if (part.empty()) continue;
    line += between + part;
    between = "; ";
  }
  return line;
}

ProgressPrinter::ProgressPrinter(std::ostream& out, bool is_terminal, const TextStyle& style,
                                 std::function<double()> clock)
    : out_(out), is_terminal_(is_terminal), style_(style), clock_(std::move(clock)) {}

ProgressPrinter::~ProgressPrinter() {
  if (drawn_lines_ > 0) out_ << BackToFirstLine() << kClearBelow << std::flush;
}

void ProgressPrinter::OnProgress(const MeasureProgress& progress) {
  const double now_s = clock_();
  if (!is_terminal_) {
    if (last_s_ && now_s - *last_s_ < kLineEverySeconds) return;
    last_s_ = now_s;
    out_ << ProgressLine(progress, style_) << std::endl;
    return;
  }
  // All at once, and clearing only what is left over, so that nothing flickers.
  std::string text = BackToFirstLine();
  const std::vector<std::string> lines = ProgressLines(progress, style_);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    // A line that wraps could not be drawn over.
    text += (i == 0 ? "" : "\n") + Shorten(lines[i], style_.width - 1) + kClearRestOfLine;
  }
  drawn_lines_ = lines.size();
  out_ << text << kClearBelow << std::flush;
}

std::string ProgressPrinter::BackToFirstLine() const {
  return drawn_lines_ > 1 ? fmt::format("\r\x1b[{}A", drawn_lines_ - 1) : "\r";
}

}  // namespace stallscope
