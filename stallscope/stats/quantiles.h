#pragma once

#include <cstddef>

namespace stallscope {

/// So many standard deviations on either side of the mean hold 95 % of a normal distribution.
inline constexpr double kNormal95 = 1.96;
/// And below so many above the mean.
inline constexpr double kNormal95OneSided = 1.645;

/// The share of a standard normal distribution below z.
double NormalBelow(double z);
/// The z that a share of a standard normal distribution is below; the share lies strictly between 0 and 1.
double NormalQuantile(double share);

/// The 97.5 % quantile of Student's t.
double StudentT975(std::size_t degrees_of_freedom);

}  // namespace stallscope
