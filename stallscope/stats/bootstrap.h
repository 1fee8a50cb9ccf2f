#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stallscope/document/estimate.h"

namespace stallscope {

/// 95 % intervals by resampling whole rounds.
///
/// One set of seeded resamples serves every quantity of a profile: the resampled differences then
/// telescope as the means do, and shares have one denominator in every resample.
///
/// The interval is Hesterberg's expanded percentile interval (2015, "What Teachers Should Know About
/// the Bootstrap", section 5.3): the plain one is too narrow for few rounds by about
/// sqrt((n-1)/n) z/t, so its tails are taken at Phi(-sqrt(n/(n-1)) t) instead of 2.5 %.
/// No resample leaves the range of the data, however, and with fewer than kFewRounds rounds the
/// expanded tails lie beyond it: there the interval is widened to Student's t where that is wider.
class Bootstrap {
 public:
  static constexpr std::size_t kFewRounds = 8;

  /// At least two rounds: one round has no interval. `run`: so many neighbouring rounds are drawn together,
  /// where these are alike; at least two runs, and then only for Median and Of.
  Bootstrap(std::size_t rounds, std::uint64_t seed, std::size_t resamples = 2000, std::size_t run = 1);

  std::size_t rounds() const { return rounds_; }
  std::size_t resamples() const { return resamples_; }

  /// One value per round.
  Estimate Mean(std::span<const double> values) const;

  /// One value per round. For quantities of the machine that a disturbed round says nothing of.
  Estimate Median(std::span<const double> values) const;

  /// mean(numerators) / mean(denominators), both resampled together.
  Estimate Ratio(std::span<const double> numerators, std::span<const double> denominators) const;

  /// One value per round; their median in one of the resamples.
  double ResampledMedian(std::size_t resample, std::span<const double> values) const;

  /// For a quantity that was computed from all rounds, and again from each resample.
  Estimate Of(double value, std::vector<double> resampled) const;

 private:
  Estimate Interval(double mean, std::vector<double> resampled, double standard_error) const;
  double ResampledSum(std::size_t resample, std::span<const double> values) const;

  std::size_t rounds_;
  std::size_t resamples_;
  std::size_t runs_;                   ///< drawn for each resample: rounds, where each is drawn alone
  std::vector<std::uint16_t> counts_;  ///< how often each resample drew each round
};

}  // namespace stallscope
