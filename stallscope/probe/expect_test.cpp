#include "stallscope/probe/expect.h"

#include <gtest/gtest.h>

namespace stallscope {
namespace {

Quantity Of(const std::string& name, Estimate value, bool higher_is_better = true) {
  return {name, "B/s", value, higher_is_better, kMeasured, "a probe"};
}

std::string VerdictOf(Estimate found, Estimate expected, double fail_below, bool higher_is_better = true) {
  return Judge({Of("q", found, higher_is_better)}, {Of("q", expected, higher_is_better)}, "card.json",
               fail_below)
      .lines.at(0)
      .verdict;
}

TEST(Expect, ACardMeetsItselfEvenAtAHundredPercent) {
  EXPECT_EQ(VerdictOf({10, 7, 13}, {10, 7, 13}, 1.0), kMet);
  EXPECT_EQ(VerdictOf({3e-5, 2e-5, 9e-5}, {3e-5, 2e-5, 9e-5}, 1.0, false), kMet);
}

TEST(Expect, OneQuantityDegradedByFortyPercentIsMissedAndNoOther) {
  const std::vector<Quantity> expected = {Of("a", {100, 95, 105}), Of("b", {200, 180, 220}),
                                          Of("c", {5, 5, 5})};
  std::vector<Quantity> found = expected;
  found[1].value = {120, 108, 132};
  const Expectation result = Judge(found, expected, "card.json", 0.8);
  EXPECT_EQ(result.lines[0].verdict, kMet);
  EXPECT_EQ(result.lines[1].verdict, kMissed);
  EXPECT_DOUBLE_EQ(result.lines[1].share.value(), 0.6);
  EXPECT_EQ(result.lines[2].verdict, kMet);
}

TEST(Expect, NoiseThatReachesTheThresholdIsUnsure) {
  // 80 % of 100 is 80. 70 with an interval of 5 is missed. One of 20, of which 20/sqrt(2) = 14 are this
  // probe's own and 14 * 1.645/1.96 = 11.9 one side's, may be 80.
  EXPECT_EQ(VerdictOf({70, 65, 75}, Exactly(100), 0.8), kMissed);
  EXPECT_EQ(VerdictOf({70, 50, 90}, Exactly(100), 0.8), kUnsure);
  // The other side's noise counts as well: 80 % of 22 is 17.6, and 1.645/1.96 * sqrt((5^2 + 17.6^2) / 2) =
  // 10.9 > 10. With 20 it is 1.645/1.96 * sqrt((5^2 + 16^2) / 2) = 9.95.
  EXPECT_EQ(VerdictOf({70, 65, 75}, {100, 78, 122}, 0.8), kUnsure);
  EXPECT_EQ(VerdictOf({70, 65, 75}, {100, 80, 120}, 0.8), kMissed);
}

TEST(Expect, OnlyWhatProbesMeasureHasAnotherProbeInItsInterval) {
  Quantity documented = Of("q", {100, 85, 115});
  documented.basis = kDocumented;
  // 1.645/1.96 * sqrt(5^2 + 12^2) = 10.9 > 10.
  EXPECT_EQ(Judge({Of("q", {70, 65, 75})}, {documented}, "p4d.24xlarge", 0.8).lines.at(0).verdict, kUnsure);
}

TEST(Expect, ALatencyIsMissedAboveAndNotBelow) {
  // 80 % of the expected quality is 100 us / 0.8 = 125 us.
  EXPECT_EQ(VerdictOf(Exactly(120e-6), Exactly(100e-6), 0.8, false), kMet);
  EXPECT_EQ(VerdictOf(Exactly(130e-6), Exactly(100e-6), 0.8, false), kMissed);
  EXPECT_EQ(VerdictOf(Exactly(20e-6), Exactly(100e-6), 0.8, false), kMet);
}

TEST(Expect, WhatWasNotFoundIsAbsentAndWhatWasNotExpectedIsNotAsked) {
  const Expectation result = Judge({Of("other", Exactly(1))}, {Of("q", Exactly(1))}, "p4d.24xlarge", 0.8);
  ASSERT_EQ(result.lines.size(), 1U);
  EXPECT_EQ(result.lines[0].verdict, kAbsent);
  EXPECT_FALSE(result.lines[0].found);
  EXPECT_FALSE(result.lines[0].share);
}

TEST(Expect, GpusThatAreNotThereAreMissed) {
  EXPECT_EQ(VerdictOf(Exactly(0), Exactly(8), 0.8), kMissed);
  EXPECT_EQ(VerdictOf(Exactly(0), Exactly(0), 0.8), kMet);
}

}  // namespace
}  // namespace stallscope
