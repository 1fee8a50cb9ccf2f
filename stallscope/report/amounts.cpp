#include "stallscope/report/amounts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "stallscope/base/units.h"

namespace stallscope {
namespace {

std::string Grouped(double count) {
  std::string digits = fmt::format("{:.0f}", count);
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  for (std::size_t end = digits.size(); end > first + 3; end -= 3) digits.insert(end - 3, 1, ',');
  return digits;
}

bool LiesAskew(const Estimate& estimate) {
  const double below = estimate.mean - estimate.low, above = estimate.high - estimate.mean;
  return std::abs(above - below) > 0.25 * std::max(std::abs(above), std::abs(below));
}

}  // namespace

std::string UnitOf(const std::string& field) {
  // The longest ending first.
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 27> kEndings = {{
      {"samples_per_s", "samples/s"},
      {"images_per_s", "images/s"},
      {"bytes_per_s", "B/s"},
      {"usd_per_hour", "USD/h"},
      {"usd_hour", "USD/h"},
      {"_h", "h"},
      {"probability_in_budget", "share"},
      {"confidence", "share"},
      {"step_time_change", "share"},
      {"bytes", "B"},
      {"share", "share"},
      {"relative", "share"},
      {"mape", "share"},
      {"coverage", "share"},
      {"bias", "share"},
      {"percentile90", "share"},
      {"worst", "share"},
      {"growth", "share"},
      {"median", "share"},
      {"half_width", "share"},
      {"probability_in_time", "share"},
      {"_error", "share"},
      {"error", "share"},
      {"hours", "h"},
      {"usd", "USD"},
      {"_s", "s"},
      {"seconds", "s"},
  }};
  for (const auto& [ending, unit] : kEndings) {
    if (field.ends_with(ending)) return std::string(unit);
  }
  return "";
}

std::string AmountText(double value, const std::string& unit) {
  // Nobody reads 22987 s; and nobody's step takes that long.
  if (unit == "s" && std::abs(value) >= 7200) return fmt::format("{:.1f} h", value / 3600);
  if (unit == "s" && std::abs(value) >= 600) return fmt::format("{:.1f} min", value / 60);
  if (unit == "s") return FormatSeconds(value);
  if (unit == "share") return fmt::format("{:.1f} %", 100 * value);
  if (unit == "B") return FormatBytes(value);
  if (unit == "B/s") return FormatBytes(value) + "/s";
  if (unit == "USD" || unit == "USD/h") return fmt::format("${:.2f}{}", value, unit == "USD/h" ? "/h" : "");
  if (unit == "h")
    return std::abs(value) >= 100 ? fmt::format("{:.0f} h", value) : fmt::format("{:.3g} h", value);
  const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
  // Four digits, and never an exponent where the number can be said without one.
  const bool large = std::abs(value) >= 1e4 && std::abs(value) < 1e15;
  const std::string number = whole || large ? Grouped(std::round(value)) : fmt::format("{:.4g}", value);
  return unit.empty() ? number : number + " " + unit;
}

std::string EstimateText(const Estimate& estimate, const std::string& unit) {
  const std::string mean = AmountText(estimate.mean, unit);
  if (estimate.low == estimate.high) return mean;  // counts, and what has no interval of its own
  if (LiesAskew(estimate)) {
    return fmt::format("{} ({} to {})", mean, AmountText(estimate.low, unit),
                       AmountText(estimate.high, unit));
  }
  return fmt::format("{} ± {}", mean, AmountText(estimate.HalfWidth(), unit));
}

}  // namespace stallscope
