#include "stallscope/catalog/price.h"

#include <chrono>
#include <cstdio>

namespace stallscope {
namespace {

std::optional<std::chrono::sys_days> DayOf(const std::string& text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 1;
  if (std::sscanf(text.c_str(), "%4d-%2u-%2u", &year, &month, &day) < 2) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  return date.ok() ? std::optional(std::chrono::sys_days(date)) : std::nullopt;
}

}  // namespace

std::optional<int> AgeInDays(const Price& price, const std::string& today) {
  const auto then = DayOf(price.date);
  const auto now = DayOf(today);
  if (!then || !now) return std::nullopt;
  return static_cast<int>((*now - *then).count());
}

bool IsStale(const Price& price, const std::string& today) {
  const auto age = AgeInDays(price, today);
  return !age || *age > kStaleAfterDays;
}

}  // namespace stallscope
