#include <gtest/gtest.h>

#include "stallscope/ladder/profile_for_tests.h"
#include "stallscope/report/console.h"

namespace stallscope {
namespace {

TEST(Verdict, SpeaksOfEveryStallOfTheSteadyStateTheLargestFirst) {
  // 100, 50, 50 and 50 of 350 ms, each known to 2 %; the order of the ladder decides between equals.
  EXPECT_EQ(
      Verdict(FullLadder()),
      "29 % of a step waits for the network (27 to 31 %); 14 % of a step waits for the interconnect (12 to "
      "16 %); 14 % of a step waits for CPU preparation (12 to 16 %); 14 % of a step waits for the disk (12 "
      "to 16 %).");
}

TEST(Verdict, WithoutASteadyStateTheHighestRungIsMeant) {
  Profile profile = FullLadder();
  profile.steady_state.reset();
  EXPECT_TRUE(Verdict(profile).starts_with("25 % of a step waits for the network (23 to 27 %)"));
}

TEST(Verdict, WhatCannotBeToldFromZeroComesLast) {
  Profile profile = SyntheticLadder();
  profile.stalls.network =
      Stall{.seconds = {0.2, -0.1, 0.5}, .share = {0.4, -0.2, 1}, .distinguishable = false};
  profile.stalls.interconnect = SureStall(0.05, 0.25);
  EXPECT_EQ(Verdict(profile),
            "20 % of a step waits for the interconnect (18 to 22 %); waiting for the network is "
            "indistinguishable from zero (-20 to 100 %).");
}

TEST(Verdict, ANegativeStallIsCalledNegative) {
  Profile profile = SyntheticLadder();
  profile.stalls.interconnect.reset();
  profile.stalls.network = SureStall(-0.05, 0.25);
  EXPECT_EQ(Verdict(profile),
            "Waiting for the network is negative (-22 to -18 %): something else differs between the rungs.");
}

TEST(Verdict, ADataSetInMemoryLeavesTheDiskToTheFirstEpoch) {
  Profile profile = FullLadder();
  profile.steady_state =
      SteadyState{.step_time_s = Exactly(0.3), .cached_share = 1, .stalls = StallsWithFetch(0)};
  EXPECT_TRUE(Verdict(profile).starts_with("33 % of a step waits for the network"));
  // 100 ms of the first epoch's 400 ms.
  EXPECT_TRUE(
      Verdict(profile).ends_with("; the first epoch also waits for the disk (25 % of its steps' time)."))
      << Verdict(profile);
  profile.stalls.fetch->distinguishable = false;
  EXPECT_EQ(Verdict(profile).find("disk"), std::string::npos);
}

TEST(Verdict, OneRungShowsNoStall) {
  EXPECT_EQ(Verdict(Profile{}), "One rung alone shows no stall.");
}

}  // namespace
}  // namespace stallscope
