#include "stallscope/stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "stallscope/stats/mean.h"
#include "stallscope/stats/quantiles.h"
#include "stallscope/stats/random.h"

namespace stallscope {
namespace {

/// Linear between order statistics; `values` are sorted.
double Quantile(const std::vector<double>& values, double share) {
  const double position = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}

}  // namespace

Bootstrap::Bootstrap(std::size_t rounds, std::uint64_t seed, std::size_t resamples, std::size_t run)
    : rounds_(rounds), resamples_(resamples), runs_(rounds / run), counts_(rounds * resamples) {
  if (runs_ < 2) throw std::invalid_argument("a bootstrap needs two rounds");
  Random random(seed);
  for (std::size_t resample = 0; resample < resamples; ++resample) {
    for (std::size_t draw = 0; draw < runs_; ++draw) {
      const std::size_t begin = resample * rounds + random.Below(rounds - run + 1);
      for (std::size_t i = 0; i < run; ++i) ++counts_[begin + i];
    }
  }
}

double Bootstrap::ResampledSum(std::size_t resample, std::span<const double> values) const {
  const std::uint16_t* counts = counts_.data() + resample * rounds_;
  double sum = 0;
  for (std::size_t i = 0; i < rounds_; ++i) sum += counts[i] * values[i];
  return sum;
}

Estimate Bootstrap::Mean(std::span<const double> values) const {
  if (values.size() != rounds_) throw std::invalid_argument("one value per round");
  const double mean = MeanOf(values);
  const double n = static_cast<double>(rounds_);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(value - mean);
  std::vector<double> resampled;
  resampled.reserve(resamples_);
  for (std::size_t i = 0; i < resamples_; ++i) resampled.push_back(mean + ResampledSum(i, distances) / n);
  return Interval(mean, std::move(resampled), StandardDeviationOf(distances) / std::sqrt(n));
}

Estimate Bootstrap::Median(std::span<const double> values) const {
  std::vector<double> resampled;
  resampled.reserve(resamples_);
  for (std::size_t i = 0; i < resamples_; ++i) resampled.push_back(ResampledMedian(i, values));
  return Of(MedianOf({values.begin(), values.end()}), std::move(resampled));
}

Estimate Bootstrap::Ratio(std::span<const double> numerators, std::span<const double> denominators) const {
  if (numerators.size() != rounds_ || denominators.size() != rounds_) {
    throw std::invalid_argument("one value per round");
  }
  const double denominator = MeanOf(denominators);
  const double ratio = MeanOf(numerators) / denominator;
  const double n = static_cast<double>(rounds_);
  // The ratio moves, to first order, by the mean of these residuals over the denominator.
  std::vector<double> residuals;
  for (std::size_t i = 0; i < rounds_; ++i) residuals.push_back(numerators[i] - ratio * denominators[i]);
  std::vector<double> resampled;
  resampled.reserve(resamples_);
  for (std::size_t i = 0; i < resamples_; ++i) {
    resampled.push_back(ratio + ResampledSum(i, residuals) / ResampledSum(i, denominators));
  }
  const double error = StandardDeviationOf(residuals) / std::sqrt(n) / std::abs(denominator);
  return Interval(ratio, std::move(resampled), error);
}

double Bootstrap::ResampledMedian(std::size_t resample, std::span<const double> values) const {
  if (values.size() != rounds_) throw std::invalid_argument("one value per round");
  const std::uint16_t* counts = counts_.data() + resample * rounds_;
  std::vector<double> drawn;
  drawn.reserve(rounds_);
  for (std::size_t i = 0; i < rounds_; ++i) drawn.insert(drawn.end(), counts[i], values[i]);
  return MedianOf(std::move(drawn));
}

Estimate Bootstrap::Of(double value, std::vector<double> resampled) const {
  if (resampled.size() != resamples_) throw std::invalid_argument("one value per resample");
  // The resamples scatter as the quantity does but for the n-1 that they do not know of.
  const double n = static_cast<double>(runs_);
  const double error = StandardDeviationOf(resampled) * std::sqrt(n / (n - 1));
  return Interval(value, std::move(resampled), error);
}

Estimate Bootstrap::Interval(double mean, std::vector<double> resampled, double standard_error) const {
  std::sort(resampled.begin(), resampled.end());
  const double n = static_cast<double>(runs_);
  const double t = StudentT975(runs_ - 1);
  const double tail = NormalBelow(-std::sqrt(n / (n - 1)) * t);
  Estimate estimate{.mean = mean, .low = Quantile(resampled, tail), .high = Quantile(resampled, 1 - tail)};
  if (runs_ < kFewRounds) {
    estimate.low = std::min(estimate.low, mean - t * standard_error);
    estimate.high = std::max(estimate.high, mean + t * standard_error);
  }
  // With constant values the resampled sums round around the mean.
  estimate.low = std::min(estimate.low, mean);
  estimate.high = std::max(estimate.high, mean);
  return estimate;
}

}  // namespace stallscope
