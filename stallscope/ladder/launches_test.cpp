#include "stallscope/ladder/launches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stallscope {
namespace {

MeasuredRound Round(std::map<Condition, double> times) {
  MeasuredRound round;
  for (const auto& [condition, time] : times) round.blocks[condition].step_time_s = time;
  return round;
}

/// Two rounds of crowd and node each, and a solo launch of its own.
LaunchPair Pair(double solo_s, double crowd_s, double node_s) {
  LaunchPair pair;
  for (int i = 0; i < 2; ++i) {
    pair.all.rounds.push_back(Round({{Condition::kCrowd, crowd_s}, {Condition::kNode, node_s}}));
    pair.solo.rounds.push_back(Round({{Condition::kSolo, solo_s}}));
  }
  return pair;
}

TEST(JoinLaunches, ARoundIsCompletedByTheSoloLaunchOfItsPair) {
  const MeasureResult joined = JoinLaunches({Pair(0.1, 0.2, 0.3), Pair(0.11, 0.21, 0.31)});
  ASSERT_EQ(joined.rounds.size(), 4u);
  EXPECT_EQ(joined.rounds[0].blocks.at(Condition::kSolo).step_time_s, 0.1);
  EXPECT_EQ(joined.rounds[3].blocks.at(Condition::kSolo).step_time_s, 0.11);
  EXPECT_EQ(joined.rounds[3].index, 3);
}

TEST(JoinLaunches, ADisturbedSoloRoundIsAsBadAsADisturbedOther) {
  LaunchPair pair = Pair(0.1, 0.2, 0.3);
  pair.solo.rounds[1].polluted = true;
  const MeasureResult joined = JoinLaunches({pair});
  EXPECT_FALSE(joined.rounds[0].polluted);
  EXPECT_TRUE(joined.rounds[1].polluted);
}

TEST(JoinLaunches, HalfAPairGivesNoRounds) {
  LaunchPair half = Pair(0.1, 0.2, 0.3);
  half.solo.rounds.clear();
  EXPECT_EQ(JoinLaunches({Pair(0.1, 0.2, 0.3), half}).rounds.size(), 2u);
  // But where nobody had a solo launch, all rounds are alike.
  EXPECT_EQ(JoinLaunches({half, half}).rounds.size(), 4u);
}

TEST(JoinLaunches, ARungThatOneLaunchGaveUpIsInNoRound) {
  LaunchPair bad = Pair(0.1, 0.2, 0.3);
  bad.all.given_up.push_back({.condition = "crowd", .reason = "it would not"});
  const MeasureResult joined = JoinLaunches({Pair(0.1, 0.2, 0.3), bad});
  for (const MeasuredRound& round : joined.rounds) EXPECT_FALSE(round.blocks.contains(Condition::kCrowd));
  EXPECT_EQ(joined.given_up.size(), 1u);
}

TEST(WidenOverLaunches, LaunchesThatDifferWidenTheIntervalAndKeepTheMean) {
  const std::vector<LaunchPair> launches = {Pair(0.10, 0.2, 0.3), Pair(0.12, 0.2, 0.3), Pair(0.14, 0.2, 0.3)};
  Profile profile;
  profile.seed = 1;
  profile.conditions["solo"].step_time_s = {0.12, 0.119, 0.121};
  profile.stalls.compute =
      Stall{.seconds = {0.12, 0.119, 0.121}, .share = {0.4, 0.39, 0.41}, .distinguishable = true};
  profile.stalls.contention =
      Stall{.seconds = {0.08, 0.079, 0.081}, .share = {0.3, 0.29, 0.31}, .distinguishable = true};
  profile.stalls.communication = Stall{.seconds = {0.1, 0.099, 0.101}, .share = {0.3, 0.29, 0.31}};
  WidenOverLaunches(launches, profile);
  // Three launches scatter by 0.02 s: Student's interval is 0.02 / sqrt(3) x 4.30 = 0.05 s to either side.
  EXPECT_DOUBLE_EQ(profile.stalls.compute->seconds.mean, 0.12);
  EXPECT_LT(profile.stalls.compute->seconds.low, 0.075);
  EXPECT_GT(profile.stalls.compute->seconds.high, 0.165);
  EXPECT_LT(profile.conditions["solo"].step_time_s.low, 0.075);
  // Both rungs of communication are in every launch.
  EXPECT_DOUBLE_EQ(profile.stalls.communication->seconds.low, 0.099);
}

TEST(WidenOverLaunches, OneLaunchSaysNothingAboutLaunches) {
  Profile profile;
  profile.stalls.compute = Stall{.seconds = {0.12, 0.119, 0.121}};
  WidenOverLaunches({Pair(0.1, 0.2, 0.3)}, profile);
  EXPECT_DOUBLE_EQ(profile.stalls.compute->seconds.low, 0.119);
}

}  // namespace
}  // namespace stallscope
