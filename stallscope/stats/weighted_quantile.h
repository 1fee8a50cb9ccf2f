#pragma once

#include <vector>

namespace stallscope {

struct WeightedValue {
  double value = 0;
  double weight = 1;
};

/// The smallest value with at least `share` of the weight at or below it. Needs at least one value.
double WeightedQuantile(std::vector<WeightedValue> values, double share);

}  // namespace stallscope
