#include "stallscope/stats/mean.h"

#include <algorithm>
#include <cmath>

namespace stallscope {

double MeanOf(std::span<const double> values) {
  if (values.empty()) return 0;
  const double origin = values.front();
  double sum = 0;
  for (const double value : values) sum += value - origin;
  return origin + sum / static_cast<double>(values.size());
}

double StandardDeviationOf(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double mean = MeanOf(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double MedianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace stallscope
