#include "stallscope/stats/independent.h"

#include <cmath>

namespace stallscope {

Estimate DifferenceOf(const Estimate& a, const Estimate& b) {
  const double mean = a.mean - b.mean;
  return {.mean = mean,
          .low = mean - std::hypot(a.mean - a.low, b.high - b.mean),
          .high = mean + std::hypot(a.high - a.mean, b.mean - b.low)};
}

Estimate ScaledDown(const Estimate& estimate, double divisor) {
  return {estimate.mean / divisor, estimate.low / divisor, estimate.high / divisor};
}

}  // namespace stallscope
