#include "stallscope/recommend/charge.h"

#include <algorithm>
#include <cmath>

namespace stallscope {
namespace {

constexpr double kSecondsPerHour = 3600;
/// 14.2 h are 51120 s; that this product of doubles lies a hair above must not charge another unit.
constexpr double kRoundingSlack = 1e-9;

}  // namespace

double BillingRule::BilledHours(double hours) const {
  const double units = std::ceil(hours * kSecondsPerHour / granularity_s * (1 - kRoundingSlack));
  return std::max(minimum_s, units * granularity_s) / kSecondsPerHour;
}

double Charge::Usd(double hours) const {
  return machines * usd_hour * billing.BilledHours(hours) + storage_usd_hour * hours;
}

double Charge::HoursFor(double usd) const {
  if (Usd(0) > usd) return -1;
  const double rate = machines * usd_hour + storage_usd_hour;
  if (rate <= 0) return INFINITY;
  // The bill never falls with time; at the line of the rate, one unit further, it is above.
  double low = 0;
  double high = usd / rate + (billing.granularity_s + billing.minimum_s) / kSecondsPerHour;
  while (true) {
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) return low;
    (Usd(middle) <= usd ? low : high) = middle;
  }
}

}  // namespace stallscope
