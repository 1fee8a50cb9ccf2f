#include "stallscope/document/rental_units.h"

#include <fmt/format.h>

namespace stallscope {
namespace {

constexpr double kHoursPerDay = 24;
constexpr double kMinutesPerHour = 60;
constexpr double kSecondsPerHour = 3600;

}  // namespace

std::string HoursText(double hours) {
  if (hours < 1.5 / kMinutesPerHour) return fmt::format("{:.1f} s", hours * kSecondsPerHour);
  if (hours < 1) return fmt::format("{:.0f} min", hours * kMinutesPerHour);
  if (hours < 4 * kHoursPerDay) return fmt::format("{:.1f} h", hours);
  return fmt::format("{:.1f} days", hours / kHoursPerDay);
}

std::string UsdText(double usd) {
  return fmt::format("{:.{}f} USD", usd, usd < 99.995 ? 2 : 0);
}

}  // namespace stallscope
