#include "stallscope/ladder/observed_steps.h"

#include <gtest/gtest.h>

namespace stallscope {
namespace {

ObservedStep Step(std::int64_t number, double exposed_s) {
  return {.number = number,
          .end_s = static_cast<double>(number),
          .data_wait_s = 0.1,
          .forward_s = 0.2,
          .backward_s = 0.3,
          .exposed_communication_s = exposed_s,
          .optimizer_s = 0.05,
          .total_s = 0.65 + exposed_s,
          .hook_s = 0.001};
}

TEST(ParseObservedStep, ReadsALineOfTheHook) {
  const auto step = ParseObservedStep("7,12.5,0.1,0.01,0.2,0.3,0.04,0.05,0.7,0.0001\n");
  ASSERT_TRUE(step);
  EXPECT_EQ(step->number, 7);
  EXPECT_DOUBLE_EQ(step->exposed_communication_s, 0.04);
  EXPECT_DOUBLE_EQ(step->total_s, 0.7);
  EXPECT_DOUBLE_EQ(step->hook_s, 0.0001);
}

TEST(ParseObservedStep, PassesOverHeadersAndCutLines) {
  EXPECT_FALSE(ParseObservedStep("step,end_s,data_wait_s"));
  EXPECT_FALSE(ParseObservedStep("7,12.5,0.1,0.01"));
}

TEST(ParseObservedStep, WhatIsNoTimeIsNoRecord) {
  for (const char* bad : {"nan", "inf", "-inf", "1e308", "x"})
    EXPECT_FALSE(ParseObservedStep(std::string("7,1.5,0.1,0,0.2,0.3,0.1,0.1,") + bad + ",0.001")) << bad;
}

TEST(ObservedSteps, WaitingForTheSlowestIsSkewAndTheRestTransfer) {
  ObservedSteps steps(2);
  for (int i = 1; i <= 10; ++i) {
    steps.Add(0, Step(i, 0.4));  // waits 0.3 s longer than the other
    steps.Add(1, Step(i, 0.1));
  }
  Observation seen;
  steps.Fill(seen);
  EXPECT_EQ(seen.steps, 10);
  // The mean over ranks of (0.4 - 0.1) and 0.
  EXPECT_NEAR(seen.skew->seconds.mean, 0.15, 1e-12);
  EXPECT_NEAR(seen.exposed_communication->seconds.mean, 0.1, 1e-12);
  EXPECT_NEAR(seen.step_time_s->mean, 0.9, 1e-12);
  EXPECT_NEAR(seen.data_wait->share.mean, 0.1 / 0.9, 1e-12);
  // Within the other parts, and none of them.
  EXPECT_NEAR(seen.hook->share.mean, 0.001 / 0.9, 1e-12);
}

TEST(ObservedSteps, OnlyStepsOfEveryRankCount) {
  ObservedSteps steps(2);
  for (int i = 1; i <= 10; ++i) steps.Add(0, Step(i, 0.1));
  for (int i = 1; i <= 4; ++i) steps.Add(1, Step(i, 0.1));
  Observation seen;
  steps.Fill(seen);
  EXPECT_EQ(seen.steps, 4);
}

TEST(ObservedSteps, MemoryStaysBounded) {
  ObservedSteps steps(2);
  for (int i = 1; i <= 100'000; ++i) {
    steps.Add(0, Step(i, 0.1));
    if (i != 5000) steps.Add(1, Step(i, 0.1));  // one that a rank never reports
  }
  EXPECT_LE(steps.windows(), 64u);
  EXPECT_LE(steps.pending(), 1u);
  Observation seen;
  steps.Fill(seen);
  EXPECT_EQ(seen.steps, 99'999);
  EXPECT_NEAR(seen.step_time_s->mean, 0.75, 1e-9);
}

TEST(ObservedSteps, NothingIsSaidOfOneWindow) {
  ObservedSteps steps(1);
  steps.Add(0, Step(1, 0));
  Observation seen;
  steps.Fill(seen);
  EXPECT_FALSE(seen.step_time_s);
  EXPECT_FALSE(seen.skew);
}

}  // namespace
}  // namespace stallscope
