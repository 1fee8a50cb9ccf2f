#include "stallscope/cost/stragglers.h"

#include <cmath>

namespace stallscope::cost {
namespace {

/// x with P(X <= x) = share, by Newton's method on the normal distribution; share >= 1/2.
double NormalQuantile(double share) {
  const double above = 1 - share;
  // The tail's leading term; exact enough to start from.
  double x = above < 0.3 ? std::sqrt(-2 * std::log(2 * above)) : 0;
  for (int i = 0; i < 6; ++i) {
    const double tail = 0.5 * std::erfc(x / std::sqrt(2.0));
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * M_PI);
    x += (tail - above) / density;
  }
  return x;
}

}  // namespace

double ExpectedMaximum(int ranks) {
  if (ranks <= 1) return 0;
  if (ranks == 2) return 1 / std::sqrt(M_PI);  // exact
  // Blom's plotting position: within 3 % of the true mean from 3 on, within 1 % from 8 on.
  return NormalQuantile((ranks - 0.375) / (ranks + 0.25));
}

}  // namespace stallscope::cost
