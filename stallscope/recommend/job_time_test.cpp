#include "stallscope/recommend/job_time.h"

#include <gtest/gtest.h>

namespace stallscope {
namespace {

TEST(JobTime, TheIntervalsEndsHold95PercentBetweenThem) {
  const JobTime time{0.5, {10, 8, 15}};
  EXPECT_NEAR(ProbabilityWithin(time, 15.5), 0.975, 1e-9);
  EXPECT_NEAR(ProbabilityWithin(time, 10.5), 0.5, 1e-9);
  EXPECT_NEAR(ProbabilityWithin(time, 8.5), 0.025, 1e-9);
  EXPECT_EQ(ProbabilityWithin(time, 0.5), 0) << "the set-up alone takes that long";
}

TEST(JobTime, HoursOfAConfidenceAreMetWithThatProbability) {
  const JobTime time{0.25, {4, 3, 7}};
  for (const double confidence : {0.3, 0.5, 0.9, 0.99}) {
    EXPECT_NEAR(ProbabilityWithin(time, HoursAt(time, IntervalsOf(confidence))), confidence, 1e-9);
  }
  // z(0.9) / z(0.975) = 1.281552 / 1.959964: 0.25 + 4 * 1.75^0.653865.
  EXPECT_NEAR(HoursAt(time, IntervalsOf(0.9)), 6.0173, 1e-4);
}

TEST(JobTime, ACertainTimeIsAStep) {
  const JobTime time{0, {2, 2, 2}};
  EXPECT_EQ(ProbabilityWithin(time, 1.999), 0);
  EXPECT_EQ(ProbabilityWithin(time, 2), 1);
}

}  // namespace
}  // namespace stallscope
