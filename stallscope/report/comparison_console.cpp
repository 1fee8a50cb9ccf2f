#include "stallscope/report/comparison_console.h"

#include <fmt/core.h>

#include "stallscope/base/units.h"

namespace stallscope {
namespace {

// They add up to 80 with the longest verdict.
constexpr int kNameColumns = 15;
constexpr int kBaselineColumns = 8;
constexpr int kOtherColumns = 9;
constexpr int kDifferenceColumns = 20;
constexpr int kRelativeColumns = 9;
constexpr int kWideRelativeColumns = 18;
/// From here on the shares have room for their intervals.
constexpr int kWideEnough = 100;

std::string Describe(const ComparedFile& file) {
  return fmt::format("{}: {} on {} machine{} with {} device{}{} ({}, {})", file.file, file.model, file.nodes,
                     file.nodes == 1 ? "" : "s", file.devices_per_node, file.devices_per_node == 1 ? "" : "s",
                     file.nodes == 1 ? "" : " each", file.host, file.created);
}

class Table {
 public:
  Table(const ComparedProfile& other, const std::string& baseline, const TextStyle& style, std::ostream& out)
      : other_(other), baseline_(baseline), style_(style), out_(out) {}

  void Print() {
    out_ << '\n' << Paint("1", Wrap(Describe(other_.profile), style_.width, 2)) << '\n';
    out_ << Wrap(fmt::format("against {}; {}", baseline_, WhoseTimes()), style_.width, 2) << "\n\n";
    Row("", "baseline", "this", "difference", "share", "");
    PrintTime("step time", other_.total);
    for (const ComparedStall& stall : other_.stalls) {
      PrintTime((stall.part_of ? "  " : "") + stall.name, stall.time);
    }
    out_ << '\n' << Wrap(Verdict(other_, baseline_), style_.width, 0) << '\n';
    for (const std::string& note : other_.notes) out_ << Wrap("note: " + note, style_.width, 2) << '\n';
  }

 private:
  bool Wide() const { return style_.width >= kWideEnough; }

  const char* PlusMinus() const { return style_.utf8 ? "±" : "+-"; }

  std::string Paint(const char* code, const std::string& text) const {
    return style_.color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }

  std::string Painted(Change verdict) const {
    const char* code = verdict == Change::kBetter              ? "32"
                       : verdict == Change::kWorse             ? "31"
                       : verdict == Change::kIndistinguishable ? "2"
                                                               : "33";
    return Paint(code, ToString(verdict));
  }

  std::string WhoseTimes() const {
    if (!other_.total_of) return "no step times in common";
    return *other_.total_of == "steady_state" ? "step times of the steady state"
                                              : "step times of the rung " + *other_.total_of;
  }

  std::string Relative(const Estimate& relative) const {
    if (!Wide()) return fmt::format("{:+.1f} %", 100 * relative.mean);
    return fmt::format("{:+.1f} % {} {:.1f} %", 100 * relative.mean, PlusMinus(), 100 * relative.HalfWidth());
  }

  void Row(const std::string& name, const std::string& baseline, const std::string& other,
           const std::string& difference, const std::string& relative, const std::string& verdict) {
    std::string line = PadRight(name, kNameColumns) + PadLeft(baseline, kBaselineColumns) +
                       PadLeft(other, kOtherColumns) + PadLeft(difference, kDifferenceColumns) +
                       PadLeft(relative, Wide() ? kWideRelativeColumns : kRelativeColumns) + "  " + verdict;
    line.erase(line.find_last_not_of(' ') + 1);
    out_ << line << '\n';
  }

  void PrintTime(const std::string& name, const ComparedTime& time) {
    const auto mean = [](const std::optional<Estimate>& estimate) {
      return estimate ? FormatSeconds(estimate->mean) : "-";
    };
    std::string difference;
    if (time.difference_s) {
      difference = fmt::format("{} {} {}", FormatSeconds(time.difference_s->mean), PlusMinus(),
                               FormatSeconds(time.difference_s->HalfWidth()));
    }
    Row(name, mean(time.baseline_s), mean(time.other_s), difference,
        time.relative ? Relative(*time.relative) : "", Painted(time.verdict));
    if (time.reason) out_ << "    " << Wrap(*time.reason, style_.width - 4, 4) << '\n';
  }

  const ComparedProfile& other_;
  const std::string& baseline_;
  const TextStyle& style_;
  std::ostream& out_;
};

}  // namespace

std::string Verdict(const ComparedProfile& other, const std::string& baseline) {
  const std::string& file = other.profile.file;
  const ComparedTime& total = other.total;
  if (total.verdict == Change::kNotComparable || !total.relative) {
    return fmt::format("The step times of {} and {} cannot be compared.", file, baseline);
  }
  const Estimate& relative = *total.relative;
  if (total.verdict == Change::kIndistinguishable) {
    return fmt::format(
        "{} is indistinguishable from {}: its step differs by {:+.1f} % ({:+.1f} to {:+.1f} %).", file,
        baseline, 100 * relative.mean, 100 * relative.low, 100 * relative.high);
  }
  if (total.verdict == Change::kWorse) {
    return fmt::format("{} is slower than {}: a step takes {:.1f} % longer ({:.1f} to {:.1f} %).", file,
                       baseline, 100 * relative.mean, 100 * relative.low, 100 * relative.high);
  }
  return fmt::format("{} is faster than {}: a step takes {:.1f} % less ({:.1f} to {:.1f} %).", file, baseline,
                     -100 * relative.mean, -100 * relative.high, -100 * relative.low);
}

void PrintComparison(const Comparison& comparison, const TextStyle& style, std::ostream& out) {
  out << Wrap("Baseline " + Describe(comparison.baseline), style.width, 2) << '\n';
  for (const ComparedProfile& other : comparison.others) {
    Table(other, comparison.baseline.file, style, out).Print();
  }
}

}  // namespace stallscope
