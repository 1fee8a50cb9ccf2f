#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stallscope/stats/bootstrap.h"
#include "stallscope/stats/mean.h"
#include "stallscope/stats/quantiles.h"
#include "stallscope/stats/random.h"
#include "stallscope/stats/warm_up.h"

namespace stallscope {
namespace {

TEST(Mean, LargeValuesKeepTheirSmallDifferences) {
  const std::vector<double> values = {1e9, 1e9 + 1, 1e9 + 2};
  EXPECT_DOUBLE_EQ(MeanOf(values), 1e9 + 1);
  // Distances -1, 0, 1: squares 1 + 0 + 1 = 2, over n - 1 = 2 is 1.
  EXPECT_DOUBLE_EQ(StandardDeviationOf(values), 1.0);
}

TEST(Mean, NothingAndOneValueHaveNoSpread) {
  EXPECT_EQ(MeanOf({}), 0);
  EXPECT_EQ(StandardDeviationOf(std::vector<double>{7}), 0);
}

TEST(Median, IsTheMiddleOrBetweenTheTwoMiddleOnes) {
  EXPECT_EQ(MedianOf({5, 1, 100}), 5);
  EXPECT_EQ(MedianOf({5, 1, 100, 7}), 6);
  EXPECT_EQ(MedianOf(std::vector<double>{}), 0);
}

TEST(Quantiles, StudentMeetsTheNormalForManyDegreesOfFreedom) {
  EXPECT_NEAR(StudentT975(1), 12.7062, 1e-4);
  EXPECT_NEAR(StudentT975(30), 2.0423, 1e-4);
  EXPECT_NEAR(StudentT975(31), 2.0395, 1e-4);
  EXPECT_NEAR(StudentT975(1000000), 1.95996, 1e-4);
  EXPECT_NEAR(NormalBelow(-1.959964), 0.025, 1e-6);
}

TEST(Random, ASeedRepeatsAndEveryValueBelowComes) {
  Random a(7);
  Random b(7);
  std::vector<int> seen(5);
  for (int i = 0; i < 1000; ++i) {
    const std::size_t value = a.Below(5);
    EXPECT_EQ(value, b.Below(5));
    ++seen[value];
  }
  for (const int count : seen) EXPECT_GT(count, 120);  // 200 expected, standard deviation 13
}

TEST(Bootstrap, ASeedRepeatsTheInterval) {
  const std::vector<double> values = {3, 1, 4, 1, 5, 9, 2, 6};
  const Estimate first = Bootstrap(8, 1).Mean(values);
  const Estimate again = Bootstrap(8, 1).Mean(values);
  EXPECT_EQ(first.low, again.low);
  EXPECT_EQ(first.high, again.high);
  EXPECT_DOUBLE_EQ(first.mean, 31.0 / 8);
  EXPECT_LT(first.low, first.mean);
  EXPECT_GT(first.high, first.mean);
}

TEST(Bootstrap, ConstantRoundsHaveNoWidth) {
  const std::vector<double> values(9, 0.1);
  const Estimate estimate = Bootstrap(9, 1).Mean(values);
  EXPECT_DOUBLE_EQ(estimate.low, 0.1);
  EXPECT_DOUBLE_EQ(estimate.high, 0.1);
}

TEST(Bootstrap, LargeValuesKeepTheirInterval) {
  const std::vector<double> near = {0, 1, 2, 0, 1, 2, 0, 1, 2, 1};
  std::vector<double> far;
  far.reserve(near.size());
  for (const double value : near) far.push_back(1e9 + value);
  const Bootstrap bootstrap(near.size(), 3);
  EXPECT_NEAR(bootstrap.Mean(far).low - 1e9, bootstrap.Mean(near).low, 1e-6);
  EXPECT_NEAR(bootstrap.Mean(far).high - 1e9, bootstrap.Mean(near).high, 1e-6);
}

TEST(Bootstrap, TwoRoundsGetStudentsWideInterval) {
  // Mean 1, standard deviation sqrt(2), standard error 1, t(1) = 12.7062.
  const Estimate estimate = Bootstrap(2, 1).Mean(std::vector<double>{0, 2});
  EXPECT_NEAR(estimate.low, 1 - 12.7062, 1e-3);
  EXPECT_NEAR(estimate.high, 1 + 12.7062, 1e-3);
}

TEST(Bootstrap, ARatioIsTheRatioOfTheMeans) {
  // (1 + 3) / (2 + 6) = 0.5, and every resample has the same ratio.
  const Estimate ratio = Bootstrap(2, 1).Ratio(std::vector<double>{1, 3}, std::vector<double>{2, 6});
  EXPECT_DOUBLE_EQ(ratio.mean, 0.5);
  EXPECT_NEAR(ratio.HalfWidth(), 0, 1e-12);
}

TEST(Bootstrap, SharesOfOneDenominatorAddUpToOne) {
  Random random(5);
  std::vector<double> a, b, sum;
  for (int i = 0; i < 12; ++i) {
    a.push_back(1 + random.Uniform());
    b.push_back(random.Normal());
    sum.push_back(a.back() + b.back());
  }
  const Bootstrap bootstrap(12, 9);
  EXPECT_NEAR(bootstrap.Ratio(a, sum).mean + bootstrap.Ratio(b, sum).mean, 1, 1e-12);
}

/// The share of simulated experiments whose interval holds the truth.
double Coverage(std::size_t rounds, bool ratio) {
  constexpr int kExperiments = 1500;
  Random random(42 + rounds);
  int covered = 0;
  const Bootstrap bootstrap(rounds, 11, 1000);
  for (int experiment = 0; experiment < kExperiments; ++experiment) {
    std::vector<double> stall, step;
    for (std::size_t i = 0; i < rounds; ++i) {
      stall.push_back(0.25 + 0.06 * random.Normal());
      step.push_back(0.75 + stall.back() + 0.05 * random.Normal());
    }
    const Estimate estimate = ratio ? bootstrap.Ratio(stall, step) : bootstrap.Mean(stall);
    covered += estimate.low <= 0.25 && 0.25 <= estimate.high;
  }
  return static_cast<double>(covered) / kExperiments;
}

TEST(Bootstrap, NineteenOfTwentyIntervalsHoldTheTruth) {
  // The standard error of a simulated coverage is sqrt(0.95 * 0.05 / 1500) = 0.6 %.
  for (const std::size_t rounds : {3, 8, 20}) {
    for (const bool ratio : {false, true}) {
      const double coverage = Coverage(rounds, ratio);
      EXPECT_GT(coverage, 0.93) << rounds << " rounds, ratio " << ratio;
      EXPECT_LT(coverage, 0.98) << rounds << " rounds, ratio " << ratio;
    }
  }
}

TEST(Bootstrap, NineteenOfTwentyIntervalsOfAMedianHoldTheTruth) {
  Random random(13);
  int held = 0;
  for (std::uint64_t trial = 0; trial < 400; ++trial) {
    std::vector<double> values;
    for (int round = 0; round < 12; ++round) values.push_back(5 + random.Normal());
    const Estimate median = Bootstrap(12, trial, 500).Median(values);
    if (median.low <= 5 && median.high >= 5) ++held;
  }
  // 380 of 400 at 95 %; medians of few rounds move in steps, so a little more or less.
  EXPECT_GE(held, 360);
}

TEST(Bootstrap, AMedianForgetsOneWildRound) {
  const Estimate median = Bootstrap(9, 1).Median(std::vector<double>{1, 1, 1, 1, 1, 1, 1, 1, 1000});
  EXPECT_EQ(median.mean, 1);
  EXPECT_EQ(median.high, 1);
}

TEST(WarmUp, SlowFirstStepsAreFound) {
  EXPECT_EQ(WarmUpLength(std::vector<double>{9, 5, 1.01, 0.99, 1, 1.01, 1, 0.99}), 2U);
}

TEST(WarmUp, ASteadySeriesLosesNothing) {
  EXPECT_EQ(WarmUpLength(std::vector<double>{1, 1, 1, 1, 1, 1}), 0U);
  EXPECT_EQ(WarmUpLength({}), 0U);
  EXPECT_EQ(WarmUpLength(std::vector<double>{3}), 0U);
}

TEST(WarmUp, ASeriesThatKeepsFallingGivesUpHalfAndSaysSo) {
  EXPECT_EQ(WarmUpLength(std::vector<double>{80, 40, 20, 10, 5, 2.5, 1.2, 0.6}), 4U);
}

TEST(WarmUp, OneLateOutlierIsNoWarmUp) {
  EXPECT_LT(WarmUpLength(std::vector<double>{1, 1.01, 0.99, 1, 1.01, 0.99, 1, 4}), 2U);
}

}  // namespace
}  // namespace stallscope
