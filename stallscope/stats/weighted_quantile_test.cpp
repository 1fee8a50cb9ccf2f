#include "stallscope/stats/weighted_quantile.h"

#include <gtest/gtest.h>

namespace stallscope {
namespace {

TEST(WeightedQuantile, OfEqualWeightsCounts) {
  EXPECT_EQ(WeightedQuantile({{3}, {1}, {2}, {4}, {5}}, 0.5), 3);
  EXPECT_EQ(WeightedQuantile({{3}, {1}, {2}, {4}, {5}}, 0.8), 4);
  EXPECT_EQ(WeightedQuantile({{3}, {1}}, 1), 3);
}

TEST(WeightedQuantile, AHeavyValueTakesItsShare) {
  // 1 has 9 tenths of the weight.
  EXPECT_EQ(WeightedQuantile({{1, 9}, {2, 1}}, 0.9), 1);
  EXPECT_EQ(WeightedQuantile({{1, 9}, {2, 1}}, 0.91), 2);
}

}  // namespace
}  // namespace stallscope
