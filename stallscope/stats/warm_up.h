#pragma once

#include <cstddef>
#include <span>

namespace stallscope {

/// How many of the first values belong to a warm-up, by White's MSER (1997): the truncation d that
/// minimises sum_{i >= d} (x_i - mean_d)^2 / (n - d)^2, the squared standard error of the rest.
/// At most half of the values are given up; a result of exactly half says that the series may still
/// be warming up.
std::size_t WarmUpLength(std::span<const double> values);

}  // namespace stallscope
