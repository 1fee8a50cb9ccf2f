#include "stallscope/report/prediction_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace stallscope {

std::string ChoiceName(const PredictedMachine& machine) {
  return fmt::format("{} x {}", machine.nodes, machine.instance);
}

std::string NumberText(double value) {
  const double magnitude = std::fabs(value);
  if (magnitude >= 99.95) return fmt::format("{:.0f}", value);
  if (magnitude >= 9.995) return fmt::format("{:.1f}", value);
  if (magnitude >= 0.9995 || magnitude == 0) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

std::string CountText(double count) {
  if (count >= 1e9) return NumberText(count / 1e9) + " billion";
  if (count >= 1e6) return NumberText(count / 1e6) + " million";
  if (count >= 1e4) return NumberText(count / 1e3) + " thousand";
  return fmt::format("{:.0f}", count);
}

std::string MoneyText(double usd) {
  return NumberText(usd) + " USD";
}

std::string EpochText(double seconds) {
  struct Unit {
    double from;
    double seconds;
    const char* name;
  };
  constexpr std::array kUnits = {Unit{3 * 86400.0, 86400, "days"}, Unit{2 * 3600.0, 3600, "h"},
                                 Unit{120, 60, "min"}};
  for (const Unit& unit : kUnits) {
    if (seconds >= unit.from) return fmt::format("{} {}", NumberText(seconds / unit.seconds), unit.name);
  }
  return NumberText(seconds) + " s";
}

std::string ChangeText(double share) {
  const double percent = 100 * share;
  return std::fabs(percent) >= 9.95 ? fmt::format("{:+.0f} %", percent) : fmt::format("{:+.1f} %", percent);
}

std::vector<std::pair<std::string, const PredictedPart*>> PartsOf(const PredictedMachine& machine) {
  std::vector<std::pair<std::string, const PredictedPart*>> parts = {{"compute", &machine.compute}};
  const auto add = [&](const char* name, const std::optional<PredictedPart>& part) {
    if (part) parts.emplace_back(name, &*part);
  };
  add("interconnect", machine.interconnect);
  add("network", machine.network);
  add("prep", machine.prep);
  add("fetch", machine.fetch);
  return parts;
}

std::string PriceText(const PredictedPrice& price) {
  const std::string region = price.region.empty() ? "" : " in " + price.region;
  const std::string each = price.usd_per_hour >= 1 ? fmt::format("{:.2f}", price.usd_per_hour)
                                                   : fmt::format("{:.4g}", price.usd_per_hour);
  return fmt::format("{} x {} USD an hour{}, list of {}{}", price.machines, each, region, price.date,
                     price.stale ? " (stale)" : "");
}

}  // namespace stallscope
