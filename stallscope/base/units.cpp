#include "stallscope/base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <span>
#include <utility>

namespace stallscope {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array kDurations = {Unit{"ms", 1e-3}, Unit{"us", 1e-6},  Unit{"s", 1},      Unit{"min", 60},
                                   Unit{"m", 60},    Unit{"h", 3600.0}, Unit{"d", 86400.0}};
constexpr std::array kSizes = {Unit{"", 1},
                               Unit{"B", 1},
                               Unit{"kB", 1e3},
                               Unit{"KB", 1e3},
                               Unit{"MB", 1e6},
                               Unit{"GB", 1e9},
                               Unit{"TB", 1e12},
                               Unit{"KiB", 1024.0},
                               Unit{"MiB", 1048576.0},
                               Unit{"GiB", 1073741824.0},
                               Unit{"TiB", 1099511627776.0}};
constexpr std::array kRates = {
    Unit{"bit", 1.0 / 8},  Unit{"kbit", 1e3 / 8},    Unit{"Mbit", 1e6 / 8},      Unit{"Gbit", 1e9 / 8},
    Unit{"B/s", 1},        Unit{"kB/s", 1e3},        Unit{"MB/s", 1e6},          Unit{"GB/s", 1e9},
    Unit{"KiB/s", 1024.0}, Unit{"MiB/s", 1048576.0}, Unit{"GiB/s", 1073741824.0}};
constexpr std::array kShares = {Unit{"", 1}, Unit{"%", 0.01}};

/// A plain decimal number and one of the units; strtod alone would take "inf", "nan" and "0x10".
std::optional<double> ParseQuantity(std::string_view text, std::span<const Unit> units) {
  const std::size_t digits = text.find_first_not_of("0123456789.");
  const std::string number(text.substr(0, digits));
  std::string_view unit = digits == std::string_view::npos ? "" : text.substr(digits);
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  if (number.empty() || number == "." || number.find('.') != number.rfind('.')) return std::nullopt;
  const double value = std::strtod(number.c_str(), nullptr);
  if (!std::isfinite(value)) return std::nullopt;
  for (const Unit& candidate : units) {
    const double quantity = value * candidate.factor;
    if (candidate.name == unit && std::isfinite(quantity)) return quantity;
  }
  return std::nullopt;
}

std::string ThreeDigits(double value, std::string_view unit) {
  const double magnitude = std::fabs(value);
  const int decimals = magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, unit);
}

}  // namespace

std::optional<Seconds> ParseDuration(std::string_view text) {
  const auto value = ParseQuantity(text, kDurations);
  return value ? std::optional(Seconds(*value)) : std::nullopt;
}

std::optional<Bytes> ParseSize(std::string_view text) {
  const auto value = ParseQuantity(text, kSizes);
  return value ? std::optional(Bytes{*value}) : std::nullopt;
}

std::optional<BytesPerSecond> ParseRate(std::string_view text) {
  const auto value = ParseQuantity(text, kRates);
  return value ? std::optional(BytesPerSecond{*value}) : std::nullopt;
}

std::optional<double> ParseShare(std::string_view text) {
  return ParseQuantity(text, kShares);
}

std::string FormatSeconds(double seconds) {
  const double magnitude = std::fabs(seconds);
  if (magnitude >= 0.9995) return ThreeDigits(seconds, "s");
  if (magnitude >= 0.9995e-3 || magnitude == 0) return ThreeDigits(seconds * 1e3, "ms");
  return ThreeDigits(seconds * 1e6, "us");
}

std::string FormatBytes(double bytes) {
  constexpr std::array<std::pair<double, std::string_view>, 4> kScale = {
      {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}}};
  for (const auto& [factor, name] : kScale) {
    if (std::fabs(bytes) >= factor * 0.9995) return ThreeDigits(bytes / factor, name);
  }
  return fmt::format("{:.0f} B", bytes);
}

std::string FormatDuration(Seconds duration) {
  constexpr double kMost = 1e15;  // more than anybody waits, and less than an integer holds
  const auto total = static_cast<std::int64_t>(std::llround(std::clamp(duration.count(), -kMost, kMost)));
  if (total < 120) return fmt::format("{} s", total);
  if (total < 7200 && total % 60 == 0) return fmt::format("{} min", total / 60);
  if (total < 7200) return fmt::format("{} min {} s", total / 60, total % 60);
  return fmt::format("{} h {} min", total / 3600, total % 3600 / 60);
}

}  // namespace stallscope
