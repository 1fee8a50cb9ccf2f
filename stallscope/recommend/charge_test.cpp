#include "stallscope/recommend/charge.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stallscope {
namespace {

TEST(Charge, BegunUnitsAreChargedAndNeverLessThanTheMinimum) {
  const BillingRule seconds{1, 60};
  EXPECT_DOUBLE_EQ(seconds.BilledHours(10.0 / 3600), 60.0 / 3600);
  EXPECT_DOUBLE_EQ(seconds.BilledHours(90.2 / 3600), 91.0 / 3600);
  EXPECT_DOUBLE_EQ(seconds.BilledHours(14.2), 14.2) << "14.2 h are whole seconds";
  const BillingRule hours{3600, 3600};
  EXPECT_DOUBLE_EQ(hours.BilledHours(1.01), 2);
}

TEST(Charge, MachinesAndStorageAddUp) {
  const Charge charge{2, 12.24, {1, 60}, 0.5};
  // 2 machines x 12.24 USD x 10 h + 0.5 USD x 10 h = 249.80 USD.
  EXPECT_NEAR(charge.Usd(10), 249.8, 1e-9);
}

TEST(Charge, ABudgetPaysTheHoursWhoseBillItCovers) {
  const Charge hourly{1, 3, {3600, 3600}, 0};
  EXPECT_NEAR(hourly.HoursFor(10), 3, 1e-6) << "the fourth hour would make 12 USD";
  EXPECT_LT(hourly.HoursFor(2.99), 0) << "the first hour is not paid";
  const Charge both{1, 3, {3600, 3600}, 1};
  // Three hours cost 9 + 3; within 11 USD: two whole hours (8), and in the third 9 + 2 h of storage at most.
  EXPECT_NEAR(both.HoursFor(11), 2, 1e-6);
  EXPECT_TRUE(std::isinf(Charge{}.HoursFor(1)));
}

}  // namespace
}  // namespace stallscope
