#include "stallscope/stats/series.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "stallscope/stats/mean.h"
#include "stallscope/stats/quantiles.h"

namespace stallscope {
namespace {

/// Turns a median absolute deviation into a standard deviation when the values are normal: 1 / Phi^-1(3/4).
constexpr double kMadToSigma = 1.4826;
/// Iglewicz and Hoaglin's bound on the modified z-score.
constexpr double kOutlierScore = 3.5;

/// Means of runs of `length` neighbours; what is left over at the beginning stays out.
std::vector<double> RunMeans(std::span<const double> values, std::size_t length) {
  std::vector<double> means;
  for (std::size_t at = values.size() % length; at < values.size(); at += length) {
    means.push_back(MeanOf(values.subspan(at, length)));
  }
  return means;
}

double MiddleOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double NeighbourCorrelation(const std::vector<double>& residuals) {
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    squares += residuals[i] * residuals[i];
    if (i > 0) products += residuals[i] * residuals[i - 1];
  }
  return squares > 0 ? products / squares : 0;
}

}  // namespace

Estimate SeriesMean(std::span<const double> values, std::uint64_t seed) {
  Estimate widest = Bootstrap(values.size(), seed).Mean(values);
  for (std::size_t length = 2; values.size() / length >= kFewestRuns; ++length) {
    const std::vector<double> means = RunMeans(values, length);
    const Estimate estimate = Bootstrap(means.size(), seed).Mean(means);
    // Around the mean of all values, which the runs may miss a few of.
    Widen(widest, estimate);
  }
  return widest;
}

std::vector<Bootstrap> SeriesBootstraps(std::size_t values, std::uint64_t seed) {
  constexpr std::size_t kResamples = 2000;
  std::vector<Bootstrap> bootstraps = {Bootstrap(values, seed)};
  for (std::size_t run = 2; values / run >= kFewestRuns; ++run)
    bootstraps.emplace_back(values, seed, kResamples, run);
  return bootstraps;
}

void Widen(Estimate& estimate, const Estimate& other) {
  estimate.low = std::min(estimate.low, estimate.mean - (other.mean - other.low));
  estimate.high = std::max(estimate.high, estimate.mean + (other.high - other.mean));
}

Estimate ForAnotherSeries(const Estimate& of_this, double between) {
  const double low = of_this.mean - std::numbers::sqrt2 * (of_this.mean - of_this.low);
  const double high = of_this.mean + std::numbers::sqrt2 * (of_this.high - of_this.mean);
  return WidenBetweenSeries({of_this.mean, of_this.low >= 0 ? std::max(0.0, low) : low, high}, between);
}

Estimate WidenBetweenSeries(const Estimate& estimate, double between) {
  const double half_width = kNormal95 * std::numbers::sqrt2 * between * estimate.mean;
  const double low = estimate.mean - std::hypot(estimate.mean - estimate.low, half_width);
  const double high = estimate.mean + std::hypot(estimate.high - estimate.mean, half_width);
  return {estimate.mean, estimate.low >= 0 ? std::max(0.0, low) : low, high};
}

Estimate RelativeTrend(std::span<const double> times, std::span<const double> values) {
  const std::size_t n = values.size();
  if (n < 4 || times.size() != n) throw std::invalid_argument("a trend needs four values and their times");
  const double middle = MeanOf(times);
  const double mean = MeanOf(values);
  double spread = 0;
  double product = 0;
  for (std::size_t i = 0; i < n; ++i) {
    spread += (times[i] - middle) * (times[i] - middle);
    product += (times[i] - middle) * (values[i] - mean);
  }
  if (spread <= 0 || mean == 0) throw std::invalid_argument("a trend needs rising times and a mean");
  const double slope = product / spread;
  std::vector<double> residuals;
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    residuals.push_back(values[i] - mean - slope * (times[i] - middle));
    squares += residuals.back() * residuals.back();
  }
  const double correlation = std::clamp(NeighbourCorrelation(residuals), 0.0, 0.9);
  const double widening = std::sqrt((1 + correlation) / (1 - correlation));
  const double error = std::sqrt(squares / static_cast<double>(n - 2) / spread) * widening;
  const double scale = (times[n - 1] - times[0]) / mean;
  const double half_width = std::abs(StudentT975(n - 2) * error * scale);
  return {slope * scale, slope * scale - half_width, slope * scale + half_width};
}

Median MedianOf(std::span<const double> values) {
  Median median{.value = MiddleOf({values.begin(), values.end()})};
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - median.value));
  median.deviation = kMadToSigma * MiddleOf(std::move(distances));
  return median;
}

bool IsOutlier(double value, const Median& median) {
  return median.deviation > 0 && std::abs(value - median.value) > kOutlierScore * median.deviation;
}

}  // namespace stallscope
