#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stallscope/document/estimate.h"
#include "stallscope/stats/bootstrap.h"

namespace stallscope {

/// The mean of a series in order of time, with a 95 % interval that also holds where neighbours are alike.
///
/// A machine that drifts makes neighbours alike, and a bootstrap over single values would then be too sure.
/// So the means of runs of 1, 2, 3... neighbours are resampled as well (Carlstein 1986), as long as there are
/// at least kFewestRuns runs, and the widest interval counts. At least two values.
Estimate SeriesMean(std::span<const double> values, std::uint64_t seed);

/// The same for what is no mean: bootstraps of a series that draw single values, and runs of 2, 3...
/// neighbours. The widest interval that they give counts (Widen).
std::vector<Bootstrap> SeriesBootstraps(std::size_t values, std::uint64_t seed);

/// Around the estimate's own mean, as wide as the other one on either side.
void Widen(Estimate& estimate, const Estimate& other);

/// Where another series as long would find the same quantity, 19 times of 20: its error is as large as this
/// one's, so the interval is wider by the root of two. `between`: the standard deviation, as a share of the
/// mean, of what changes from one series to the next and none sees by itself. What cannot be negative does
/// not become so.
Estimate ForAnotherSeries(const Estimate& of_this, double between = 0);

/// Only the part of `between`: for an interval that is another series' already.
Estimate WidenBetweenSeries(const Estimate& estimate, double between);

/// Fewer runs than this say too little about how they scatter: Student's t with 3 degrees of freedom is 3.2.
inline constexpr std::size_t kFewestRuns = 4;

/// How far the least-squares line through the series rises from the first time to the last, as a share of the
/// mean. The interval is Student's, from the scatter around the line, widened where neighbours' residuals are
/// alike: with a correlation r > 0 between neighbours, n values tell as much as n (1 - r) / (1 + r).
/// At least four values at rising times, and a mean that is not 0.
Estimate RelativeTrend(std::span<const double> times, std::span<const double> values);

/// Which values lie more than 3.5 scaled median absolute deviations from the median (Iglewicz and Hoaglin
/// 1993). None where more than half of the values are equal.
struct Median {
  double value = 0;
  double deviation = 0;  ///< scaled to a standard deviation of normal values
};
Median MedianOf(std::span<const double> values);
bool IsOutlier(double value, const Median& median);

}  // namespace stallscope
