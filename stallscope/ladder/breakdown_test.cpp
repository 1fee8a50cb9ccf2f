#include "stallscope/ladder/breakdown.h"

#include <gtest/gtest.h>

#include "stallscope/base/error.h"
#include "stallscope/stats/random.h"

namespace stallscope {
namespace {

std::vector<RoundTimes> RandomRounds(Random& random, const std::vector<Condition>& conditions) {
  std::vector<RoundTimes> rounds(2 + random.Below(20));
  const double scale = std::pow(10, 4 * random.Uniform() - 3);
  for (RoundTimes& round : rounds) {
    for (const Condition condition : conditions) round[condition] = scale * (1 + random.Uniform());
  }
  return rounds;
}

double SumOf(const Stalls& stalls, Estimate Stall::*field) {
  double sum = 0;
  for (const auto* stall :
       {&stalls.compute, &stalls.interconnect, &stalls.network, &stalls.prep, &stalls.fetch}) {
    if (*stall) sum += ((**stall).*field).mean;
  }
  return sum;
}

TEST(Breakdown, TheStallsAddUpToTheStepTimeForEveryChoiceOfRungs) {
  Random random(1);
  for (unsigned choice = 1; choice < 64; ++choice) {
    std::vector<Condition> conditions;
    for (unsigned i = 0; i < 6; ++i) {
      if ((choice >> i) & 1) conditions.push_back(static_cast<Condition>(i));
    }
    for (int repeat = 0; repeat < 3; ++repeat) {
      const Breakdown breakdown = BreakDown(RandomRounds(random, conditions), 3);
      const double step = breakdown.step_time.mean;
      EXPECT_EQ(breakdown.highest, conditions.back());
      EXPECT_NEAR(SumOf(breakdown.stalls, &Stall::seconds), step, 1e-12 * step) << choice;
      EXPECT_NEAR(SumOf(breakdown.stalls, &Stall::share), 1, 1e-12) << choice;
      const Stalls& stalls = breakdown.stalls;
      if (stalls.contention && stalls.communication) {
        EXPECT_NEAR(stalls.contention->seconds.mean + stalls.communication->seconds.mean,
                    stalls.interconnect->seconds.mean, 1e-12 * step);
      }
    }
  }
}

TEST(Breakdown, DistinguishableSaysExactlyWhetherTheIntervalLeavesZeroOut) {
  Random random(2);
  int held = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const Breakdown breakdown =
        BreakDown(RandomRounds(random, {Condition::kSolo, Condition::kCrowd, Condition::kNode}), 3);
    for (const auto* stall :
         {&breakdown.stalls.interconnect, &breakdown.stalls.contention, &breakdown.stalls.communication}) {
      const Estimate& seconds = (*stall)->seconds;
      EXPECT_EQ((*stall)->distinguishable, !(seconds.low <= 0 && seconds.high >= 0));
      held += !(*stall)->distinguishable;
    }
  }
  EXPECT_GT(held, 500);  // of 600: the rungs are drawn alike
}

TEST(Breakdown, ANegativeDifferenceStaysNegative) {
  std::vector<RoundTimes> rounds;
  for (int i = 0; i < 10; ++i) {
    const double drift = 0.1 * i;
    rounds.push_back(
        {{Condition::kSolo, 1.0 + drift}, {Condition::kCrowd, 0.9 + drift}, {Condition::kNode, 1.2 + drift}});
  }
  const Stalls stalls = BreakDown(rounds, 1).stalls;
  // Paired per round, the drift cancels: 0.9 - 1.0, 1.2 - 0.9 and 1.2 - 1.0, with no scatter.
  EXPECT_NEAR(stalls.contention->seconds.mean, -0.1, 1e-12);
  EXPECT_NEAR(stalls.contention->seconds.HalfWidth(), 0, 1e-12);
  EXPECT_TRUE(stalls.contention->distinguishable);
  EXPECT_LT(stalls.contention->share.mean, 0);
  EXPECT_NEAR(stalls.communication->seconds.mean, 0.3, 1e-12);
  EXPECT_NEAR(stalls.interconnect->seconds.mean, 0.2, 1e-12);
}

TEST(Breakdown, AStallWhoseRungIsAbsentIsAbsent) {
  const std::vector<RoundTimes> rounds(3, {{Condition::kSolo, 1.0}, {Condition::kCluster, 1.5}});
  const Stalls stalls = BreakDown(rounds, 1).stalls;
  EXPECT_FALSE(stalls.interconnect);
  EXPECT_FALSE(stalls.contention);
  EXPECT_FALSE(stalls.prep);
  EXPECT_DOUBLE_EQ(stalls.network->seconds.mean, 0.5);
  EXPECT_DOUBLE_EQ(stalls.compute->share.mean, 1 / 1.5);
}

TEST(Breakdown, WithoutSoloTheLadderStartsAtCrowdAndStillCloses) {
  const std::vector<RoundTimes> rounds(3, {{Condition::kCrowd, 1.0}, {Condition::kNode, 1.25}});
  const Stalls stalls = BreakDown(rounds, 1).stalls;
  EXPECT_DOUBLE_EQ(stalls.compute->seconds.mean, 1.0);
  EXPECT_DOUBLE_EQ(stalls.interconnect->seconds.mean, 0.25);
  EXPECT_DOUBLE_EQ(stalls.communication->seconds.mean, 0.25);
  EXPECT_FALSE(stalls.contention);
}

TEST(Breakdown, WithoutCrowdThePartsOfInterconnectAreUnknown) {
  const std::vector<RoundTimes> rounds(3, {{Condition::kSolo, 1.0}, {Condition::kNode, 1.25}});
  const Stalls stalls = BreakDown(rounds, 1).stalls;
  EXPECT_DOUBLE_EQ(stalls.interconnect->seconds.mean, 0.25);
  EXPECT_FALSE(stalls.contention);
  EXPECT_FALSE(stalls.communication);
}

TEST(Breakdown, OneRoundOrAnIncompleteOneIsRefused) {
  EXPECT_THROW(BreakDown({}, 1), Error);
  EXPECT_THROW(BreakDown({{{Condition::kSolo, 1.0}}}, 1), Error);
  EXPECT_THROW(BreakDown({{{Condition::kSolo, 1.0}}, {{Condition::kNode, 1.0}}}, 1), Error);
}

TEST(Breakdown, TheWidestHalfWidthIsAShareOfTheStep) {
  const std::vector<RoundTimes> steady(8, {{Condition::kSolo, 1.0}, {Condition::kCluster, 1.5}});
  EXPECT_NEAR(BreakDown(steady, 1).WidestHalfWidth(), 0, 1e-12);
  // With one rung alone its own relative half-width counts.
  const Breakdown alone = BreakDown({{{Condition::kSolo, 1.0}}, {{Condition::kSolo, 3.0}}}, 1);
  EXPECT_DOUBLE_EQ(alone.WidestHalfWidth(), alone.step_time.HalfWidth() / 2);
}

}  // namespace
}  // namespace stallscope
