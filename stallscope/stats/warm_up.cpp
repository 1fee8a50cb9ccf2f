#include "stallscope/stats/warm_up.h"

#include <limits>

#include "stallscope/stats/mean.h"

namespace stallscope {

std::size_t WarmUpLength(std::span<const double> values) {
  std::size_t best = 0;
  double best_error = std::numeric_limits<double>::infinity();
  for (std::size_t start = 0; start <= values.size() / 2; ++start) {
    const std::span<const double> rest = values.subspan(start);
    if (rest.empty()) break;
    const double mean = MeanOf(rest);
    double squares = 0;
    for (const double value : rest) squares += (value - mean) * (value - mean);
    const double count = static_cast<double>(rest.size());
    const double error = squares / (count * count);
    if (error < best_error) {
      best_error = error;
      best = start;
    }
  }
  return best;
}

}  // namespace stallscope
