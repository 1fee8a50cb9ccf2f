#include "stallscope/stats/series.h"

#include <gtest/gtest.h>

#include <numbers>
#include <vector>

#include "stallscope/stats/bootstrap.h"
#include "stallscope/stats/random.h"

namespace stallscope {
namespace {

TEST(SeriesMean, OfUnrelatedValuesHoldsTheTruthAboutAsOftenAsItSays) {
  Random random(7);
  int held = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> values;
    for (int i = 0; i < 12; ++i) values.push_back(10 + random.Normal());
    const Estimate estimate = SeriesMean(values, 1);
    held += estimate.low <= 10 && 10 <= estimate.high;
  }
  EXPECT_GE(held, 0.94 * kTrials);
}

TEST(SeriesMean, IsWiderThanAPlainBootstrapWhereNeighboursAreAlike) {
  // Four steps of four equal values: sixteen values know no more than four.
  std::vector<double> steps;
  for (const double level : {1.0, 3.0, 2.0, 4.0}) steps.insert(steps.end(), 4, level);
  const Estimate plain = Bootstrap(steps.size(), 1).Mean(steps);
  const Estimate honest = SeriesMean(steps, 1);
  EXPECT_DOUBLE_EQ(honest.mean, 2.5);
  EXPECT_GT(honest.HalfWidth(), 2 * plain.HalfWidth());
}

TEST(ForAnotherSeries, HoldsTheMeanOfASecondSeriesAboutAsOftenAsItSays) {
  Random random(3);
  const auto draw = [&] {
    std::vector<double> values;
    for (int i = 0; i < 8; ++i) values.push_back(10 + random.Normal());
    return SeriesMean(values, 1);
  };
  constexpr int kTrials = 400;
  int held = 0;
  int held_by_the_mean_alone = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Estimate first = draw();
    const Estimate wider = ForAnotherSeries(first);
    const double second = draw().mean;
    held += wider.low <= second && second <= wider.high;
    held_by_the_mean_alone += first.low <= second && second <= first.high;
  }
  EXPECT_GE(held, 0.94 * kTrials);
  EXPECT_LT(held_by_the_mean_alone, 0.94 * kTrials);
}

TEST(ForAnotherSeries, DoesNotMakeARateNegative) {
  const Estimate rate = ForAnotherSeries({.mean = 4, .low = 1, .high = 7});
  EXPECT_EQ(rate.low, 0);
  EXPECT_DOUBLE_EQ(rate.high, 4 + 3 * std::numbers::sqrt2);
  EXPECT_LT(ForAnotherSeries({.mean = 1, .low = -1, .high = 3}).low, -1);
}

TEST(ForAnotherSeries, HoldsASecondSeriesThatStandsElsewhere) {
  Random random(4);
  const auto draw = [&] {
    // Each series has a level of its own, 5 % around 10, and hardly scatters around it.
    const double level = 10 + 0.5 * random.Normal();
    std::vector<double> values;
    for (int i = 0; i < 8; ++i) values.push_back(level + 0.1 * random.Normal());
    return SeriesMean(values, 1);
  };
  constexpr int kTrials = 400;
  int held = 0;
  int held_without = 0;
  const auto holds = [](const Estimate& estimate, double value) {
    return estimate.low <= value && value <= estimate.high;
  };
  for (int trial = 0; trial < kTrials; ++trial) {
    const Estimate first = draw();
    const double second = draw().mean;
    held += holds(ForAnotherSeries(first, 0.05), second);
    held_without += holds(ForAnotherSeries(first), second);
  }
  EXPECT_GE(held, 0.93 * kTrials);
  EXPECT_LT(held_without, 0.5 * kTrials);
}

TEST(WidenBetweenSeries, AddsTheSquaresOfHalfWidths) {
  // 1.96 * sqrt(2) * 10 % of 10 is 2.77; with 1 below and 2 above: 2.95 and 3.42.
  const Estimate wider = WidenBetweenSeries({.mean = 10, .low = 9, .high = 12}, 0.1);
  EXPECT_NEAR(wider.low, 10 - 2.946, 0.001);
  EXPECT_NEAR(wider.high, 10 + 3.418, 0.001);
  EXPECT_EQ(WidenBetweenSeries({.mean = 10, .low = 9, .high = 12}, 0).low, 9);
}

/// 16 values around 0 with variance 1, neighbours correlated by 0.6.
std::vector<double> WanderingSeries(Random& random) {
  double state = random.Normal();
  std::vector<double> values;
  for (int i = 0; i < 16; ++i) {
    state = 0.6 * state + 0.8 * random.Normal();
    values.push_back(state);
  }
  return values;
}

bool HoldsTruth(const Estimate& estimate) {
  return estimate.low <= 0 && 0 <= estimate.high;
}

TEST(SeriesMean, OfAWanderingSeriesHoldsTheTruthMoreOftenThanThePlainOne) {
  Random random(11);
  int honest = 0;
  int plain = 0;
  constexpr int kTrials = 300;
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::vector<double> values = WanderingSeries(random);
    honest += HoldsTruth(SeriesMean(values, 1));
    plain += HoldsTruth(Bootstrap(values.size(), 1).Mean(values));
  }
  EXPECT_GE(honest, 0.87 * kTrials);
  EXPECT_GT(honest, plain + 0.1 * kTrials);
}

TEST(SeriesBootstraps, OfAWanderingSeriesHoldTheMedianMoreOftenThanThePlainOne) {
  Random random(12);
  int honest = 0;
  int plain = 0;
  constexpr int kTrials = 200;
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::vector<double> values = WanderingSeries(random);
    Estimate median = Bootstrap(values.size(), 1).Median(values);
    plain += HoldsTruth(median);
    for (const Bootstrap& of_runs : SeriesBootstraps(values.size(), 1)) Widen(median, of_runs.Median(values));
    honest += HoldsTruth(median);
  }
  EXPECT_GE(honest, 0.87 * kTrials);
  EXPECT_GT(honest, plain + 0.05 * kTrials);
}

TEST(RelativeTrend, OfAStraightLineIsItsRiseOverItsMean) {
  const std::vector<double> times = {0, 1, 2, 3, 4};
  const std::vector<double> values = {8, 9, 10, 11, 12};
  const Estimate trend = RelativeTrend(times, values);
  EXPECT_DOUBLE_EQ(trend.mean, 0.4);  // from 8 to 12 is 4 of a mean of 10
  EXPECT_NEAR(trend.HalfWidth(), 0, 1e-12);
}

TEST(RelativeTrend, OfNoiseHoldsZeroAboutAsOftenAsItSays) {
  Random random(3);
  int held = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> times;
    std::vector<double> values;
    for (int i = 0; i < 20; ++i) {
      times.push_back(i);
      values.push_back(10 + random.Normal());
    }
    held += RelativeTrend(times, values).HoldsZero();
  }
  EXPECT_GE(held, 0.93 * kTrials);
}

TEST(Outliers, AreFarFromTheMedianByTheScatterOfTheRest) {
  const std::vector<double> values = {10, 11, 9, 10, 12, 8, 10, 30};
  const Median median = MedianOf(values);
  EXPECT_DOUBLE_EQ(median.value, 10);
  // Distances 0 1 1 0 2 2 0 20: their median is 1, a standard deviation of 1.4826; the bound is 3.5 of
  // these, 5.2.
  EXPECT_DOUBLE_EQ(median.deviation, 1.4826);
  EXPECT_TRUE(IsOutlier(30, median));
  EXPECT_FALSE(IsOutlier(15, median));
  EXPECT_TRUE(IsOutlier(4, median));
}

TEST(Outliers, ThereAreNoneWhereMostValuesAreEqual) {
  const std::vector<double> values = {5, 5, 5, 5, 6};
  EXPECT_FALSE(IsOutlier(6, MedianOf(values)));
}

}  // namespace
}  // namespace stallscope
