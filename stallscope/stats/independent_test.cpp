#include "stallscope/stats/independent.h"

#include <gtest/gtest.h>

#include "stallscope/stats/random.h"

namespace stallscope {
namespace {

TEST(Independent, HalfWidthsOfADifferenceAddInSquares) {
  const Estimate difference = DifferenceOf({10, 7, 13}, {4, 0, 8});
  // 10 - 4 = 6; half-widths 3 and 4 make the root of 9 + 16, which is 5.
  EXPECT_DOUBLE_EQ(difference.mean, 6);
  EXPECT_DOUBLE_EQ(difference.low, 1);
  EXPECT_DOUBLE_EQ(difference.high, 11);
}

TEST(Independent, EachSideOfALopsidedIntervalIsItsOwn) {
  const Estimate difference = DifferenceOf({10, 7, 15}, {4, -8, 8});
  // Down: a by 3 and b up by 4, so 5. Up: a by 5 and b down by 12, so 13.
  EXPECT_DOUBLE_EQ(difference.low, 6 - 5);
  EXPECT_DOUBLE_EQ(difference.high, 6 + 13);
}

TEST(Independent, SwappingTheTwoMirrorsTheDifference) {
  const Estimate a{1, 0.7, 1.6};
  const Estimate b{3, 2.5, 3.1};
  const Estimate forth = DifferenceOf(a, b);
  const Estimate back = DifferenceOf(b, a);
  EXPECT_DOUBLE_EQ(forth.mean, -back.mean);
  EXPECT_DOUBLE_EQ(forth.low, -back.high);
  EXPECT_DOUBLE_EQ(forth.high, -back.low);
}

TEST(Independent, AnEstimateDiffersFromItselfByNothing) {
  const Estimate difference = DifferenceOf({5, 4, 6}, {5, 4, 6});
  EXPECT_EQ(difference.mean, 0);
  EXPECT_TRUE(difference.HoldsZero());
}

TEST(Independent, TheIntervalHoldsTheTruthAboutAsOftenAsItSays) {
  Random random(5);
  int held = 0;
  for (int repeat = 0; repeat < 4000; ++repeat) {
    // Known spreads 3 and 1: half-widths 1.96 * 3 and 1.96 * 1 around what was measured of 20 and 12.
    const double a = 20 + 3 * random.Normal();
    const double b = 12 + random.Normal();
    const Estimate difference = DifferenceOf({a, a - 1.96 * 3, a + 1.96 * 3}, {b, b - 1.96, b + 1.96});
    held += difference.low <= 8 && 8 <= difference.high;
  }
  // 95 % of 4000 are 3800, with a standard deviation of 14; five of them either way.
  EXPECT_NEAR(held, 3800, 70);
}

TEST(Independent, ScalingDividesAllThreeNumbers) {
  const Estimate scaled = ScaledDown({6, 1, 11}, 2);
  EXPECT_DOUBLE_EQ(scaled.mean, 3);
  EXPECT_DOUBLE_EQ(scaled.low, 0.5);
  EXPECT_DOUBLE_EQ(scaled.high, 5.5);
}

}  // namespace
}  // namespace stallscope
