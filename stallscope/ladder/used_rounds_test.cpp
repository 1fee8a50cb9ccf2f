#include <gtest/gtest.h>

#include "stallscope/ladder/measure.h"
#include "stallscope/stats/random.h"

namespace stallscope {
namespace {

MeasuredRound RoundOf(int solo_turn, double solo_s, double crowd_s, bool polluted = false) {
  MeasuredRound round;
  round.solo_turn = solo_turn;
  round.polluted = polluted;
  round.blocks[Condition::kSolo].step_time_s = solo_s;
  round.blocks[Condition::kCrowd].step_time_s = crowd_s;
  return round;
}

TEST(UsedRounds, PollutedOnesAreDroppedUnlessTheyAreTheMajority) {
  const MeasuredRound clean = RoundOf(0, 1, 1);
  const MeasuredRound polluted = RoundOf(1, 1, 1, true);
  const std::vector<MeasuredRound> half = {clean, polluted, clean, polluted};
  EXPECT_EQ(RoundsToUse(half).rounds.size(), 2U);
  EXPECT_EQ(RoundsToUse(half).dropped, 2);
  EXPECT_FALSE(RoundsToUse(half).never_idle);
  const std::vector<MeasuredRound> most = {RoundOf(0, 1, 1), RoundOf(1, 1, 1, true), RoundOf(0, 1, 1, true)};
  EXPECT_EQ(RoundsToUse(most).rounds.size(), 3U);
  EXPECT_EQ(RoundsToUse(most).dropped, 0);
  EXPECT_TRUE(RoundsToUse(most).never_idle);
  EXPECT_FALSE(RoundsToUse({}).never_idle);
}

TEST(UsedRounds, OneCleanRoundIsTooFewForAnInterval) {
  const std::vector<MeasuredRound> two = {RoundOf(0, 1, 1), RoundOf(1, 1, 1, true)};
  EXPECT_EQ(RoundsToUse(two).rounds.size(), 2U);
  EXPECT_EQ(RoundsToUse(two).dropped, 0);
  EXPECT_TRUE(RoundsToUse(two).never_idle);
  EXPECT_EQ(RoundsToUse({RoundOf(0, 1, 1)}).rounds.size(), 1U);
}

TEST(UsedRounds, DevicesWeighAlikeHoweverOftenTheyWereKept) {
  std::vector<MeasuredRound> rounds(8, RoundOf(0, 1.0, 2.0));
  rounds.resize(12, RoundOf(1, 2.0, 2.0));
  // The mean over devices is (1 + 2) / 2, although two thirds of the rounds ran the fast one.
  for (const RoundTimes& round : TimesOf(RoundsToUse(rounds))) {
    EXPECT_DOUBLE_EQ(round.at(Condition::kSolo), 1.5);
    EXPECT_DOUBLE_EQ(round.at(Condition::kCrowd), 2.0);
  }
}

TEST(UsedRounds, FewRoundsPerDeviceStayAsTheyWereMeasured) {
  const MeasuredRound fast = RoundOf(0, 1.0, 2.0);
  const MeasuredRound slow = RoundOf(1, 2.0, 2.0);
  const std::vector<MeasuredRound> rounds = {fast, slow, fast, slow, fast, slow};
  const std::vector<RoundTimes> times = TimesOf(RoundsToUse(rounds));
  EXPECT_EQ(times[0].at(Condition::kSolo), 1.0);
  EXPECT_EQ(times[1].at(Condition::kSolo), 2.0);
}

TEST(UsedRounds, IntervalsOverUnequalDevicesStillHoldTheTruth) {
  Random random(8);
  int covered = 0;
  constexpr int kExperiments = 300;
  for (int experiment = 0; experiment < kExperiments; ++experiment) {
    std::vector<MeasuredRound> rounds;
    for (int i = 0; i < 12; ++i) {
      const double drift = 0.2 * random.Normal();  // alike for both blocks of a round
      rounds.push_back(RoundOf(i % 2, 1 + 0.3 * (i % 2) + drift + 0.05 * random.Normal(),
                               1.25 + drift + 0.05 * random.Normal()));
    }
    // The devices alone take 1.0 and 1.3, together 1.25: contention 1.25 - 1.15 = 0.1.
    const Stall contention = *BreakDown(TimesOf(RoundsToUse(rounds)), 1).stalls.contention;
    covered += contention.seconds.low <= 0.1 && 0.1 <= contention.seconds.high;
  }
  // 95 % asked; the standard error of 300 experiments is 1.3 %, and one degree of freedom goes to the device.
  EXPECT_GT(covered, kExperiments * 0.90);
}

}  // namespace
}  // namespace stallscope
