#include "stallscope/cost/stragglers.h"

#include <gtest/gtest.h>

namespace stallscope::cost {
namespace {

TEST(Stragglers, TheExpectedMaximumIsThatOfTheTables) {
  // Order statistics of the normal distribution (exact values to four places).
  EXPECT_EQ(ExpectedMaximum(1), 0);
  EXPECT_NEAR(ExpectedMaximum(2), 0.5642, 1e-4);
  EXPECT_NEAR(ExpectedMaximum(3), 0.8463, 0.03);
  EXPECT_NEAR(ExpectedMaximum(4), 1.0294, 0.03);
  EXPECT_NEAR(ExpectedMaximum(8), 1.4236, 0.02);
  EXPECT_NEAR(ExpectedMaximum(32), 2.0697, 0.02);
  EXPECT_NEAR(ExpectedMaximum(1000), 3.2414, 0.02);
}

TEST(Stragglers, MoreRanksWaitLonger) {
  for (int ranks = 1; ranks < 8192; ranks *= 2) {
    EXPECT_LT(ExpectedMaximum(ranks), ExpectedMaximum(2 * ranks));
  }
}

}  // namespace
}  // namespace stallscope::cost
