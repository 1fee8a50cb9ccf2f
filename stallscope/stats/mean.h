#pragma once

#include <span>
#include <vector>

namespace stallscope {

/// The arithmetic mean; 0 of nothing. It adds distances from the first value, so that large values
/// with small differences keep their digits.
double MeanOf(std::span<const double> values);

/// The sample standard deviation (n - 1), from distances to the mean; 0 for fewer than two values.
double StandardDeviationOf(std::span<const double> values);

/// The middle value, or the mean of the two middle ones. Of nothing: 0.
double MedianOf(std::vector<double> values);

}  // namespace stallscope
