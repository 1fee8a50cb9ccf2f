#include "stallscope/stats/weighted_quantile.h"

#include <algorithm>

namespace stallscope {

double WeightedQuantile(std::vector<WeightedValue> values, double share) {
  std::sort(values.begin(), values.end(),
            [](const WeightedValue& a, const WeightedValue& b) { return a.value < b.value; });
  double whole = 0;
  for (const WeightedValue& value : values) whole += value.weight;
  double below = 0;
  for (const WeightedValue& value : values) {
    below += value.weight;
    // Sums of many weights are exact to rounding only.
    if (below >= share * whole * (1 - 1e-12)) return value.value;
  }
  return values.back().value;
}

}  // namespace stallscope
