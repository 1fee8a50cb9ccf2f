#include "stallscope/ladder/block_summary.h"

#include <gtest/gtest.h>

#include "stallscope/base/error.h"
#include "stallscope/ladder/fake_runner.h"
#include "stallscope/ladder/foreign_load.h"

namespace stallscope {
namespace {

TEST(Summary, TheFirstStepOfABlockCountsInNoMean) {
  FakeRunner runner({.nodes = 1, .devices_per_node = 2});
  runner.slow_first_s = 10;
  const BlockSummary summary =
      Summarise(runner.Run(RequestFor(Condition::kNode, runner.layout, 0, 4)), 1, false);
  EXPECT_DOUBLE_EQ(summary.step_time_s, 0.3);
  EXPECT_DOUBLE_EQ(summary.parts.forward_s, 0.075);
  EXPECT_EQ(summary.steps, 3);
}

TEST(Summary, AnUnsynchronisedRungIsTheMeanOverRanks) {
  FakeRunner runner({.nodes = 1, .devices_per_node = 2});
  runner.device_extra_s = {0, 0.1};
  const BlockResult block = runner.Run(RequestFor(Condition::kCrowd, runner.layout, 0, 3));
  // (0.21 + 0.31) / 2
  EXPECT_DOUBLE_EQ(Summarise(block, 1, false).step_time_s, 0.26);
  EXPECT_FALSE(Summarise(block, 1, false).communication);
}

TEST(Summary, ARankWithoutItsStepsIsAnError) {
  FakeRunner runner({.nodes = 1, .devices_per_node = 2});
  BlockResult block = runner.Run(RequestFor(Condition::kNode, runner.layout, 0, 4));
  block.ranks[1].steps.pop_back();
  try {
    Summarise(block, 1, false);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "rank 1 reported 3 of 4 steps");
  }
}

TEST(Communication, TheLateRankShowsTheTransferAndTheEarlyOneTheSkew) {
  // Rank 0 hands over at 1.0 and waits; rank 1 at 1.3. Both end at 1.5: transfer 0.2.
  const std::vector<BucketTimes> early = {{.bytes = 1, .ready_s = 1.0, .begin_s = 1.0, .end_s = 1.5}};
  const std::vector<BucketTimes> late = {{.bytes = 1, .ready_s = 1.3, .begin_s = 1.3, .end_s = 1.5}};
  const auto info = CommunicationOfStep({&early, &late});
  ASSERT_TRUE(info);
  EXPECT_NEAR(info->transfer_s, 0.2, 1e-12);
  EXPECT_NEAR(info->skew_s, (0.3 + 0) / 2, 1e-12);
  EXPECT_NEAR(info->overlap_share, 0, 1e-12);
}

TEST(Communication, BucketsAtTheSameTimeAreNotCountedTwice) {
  // [0, 4] and [2, 6] cover 6 s; the backward pass ends when the last is ready, at 3: 3 of 6 s overlap.
  const std::vector<BucketTimes> buckets = {{.bytes = 1, .ready_s = 0, .begin_s = 0, .end_s = 4},
                                            {.bytes = 1, .ready_s = 3, .begin_s = 2, .end_s = 6}};
  const auto info = CommunicationOfStep({&buckets, &buckets});
  ASSERT_TRUE(info);
  EXPECT_DOUBLE_EQ(info->transfer_s, 6);
  EXPECT_DOUBLE_EQ(info->skew_s, 0);
  EXPECT_DOUBLE_EQ(info->overlap_share, 0.5);
}

TEST(Communication, BucketsThatDoNotMatchSayNothing) {
  const std::vector<BucketTimes> one(1), two(2);
  EXPECT_FALSE(CommunicationOfStep({&one, &two}));
  EXPECT_FALSE(CommunicationOfStep({}));
}

TEST(Communication, MachinesThatReduceApartAreNotCompared) {
  FakeRunner runner({.nodes = 2, .devices_per_node = 1});
  BlockResult block = runner.Run(RequestFor(Condition::kNode, runner.layout, 0, 2));
  for (StepRecord& step : block.ranks[1].steps) step.buckets[0].end_s = 0.35;
  // Apart: transfers of 0.05 and 0.25, mean 0.15, no skew. Together: transfer 0.05, skew (0 + 0.2) / 2.
  EXPECT_NEAR(Summarise(block, 1, false).communication->transfer_s, 0.15, 1e-12);
  EXPECT_NEAR(Summarise(block, 1, false).communication->skew_s, 0, 1e-12);
  EXPECT_NEAR(Summarise(block, 1, true).communication->transfer_s, 0.05, 1e-12);
  EXPECT_NEAR(Summarise(block, 1, true).communication->skew_s, 0.1, 1e-12);
}

ForeignLoad Load(FakeRunner& runner, double foreign_s, int cores) {
  runner.foreign_s = [=](int) { return foreign_s; };
  return ForeignLoadOf(runner.Run(RequestFor(Condition::kCrowd, runner.layout, 0, 10)), cores,
                       runner.layout.emulated);
}

TEST(ForeignLoad, MoreThanASmallShareOfOneCorePollutes) {
  FakeRunner runner({.nodes = 1, .devices_per_node = 2});
  // 10 steps of 0.21 s: 15 % of 2.1 s is 0.315 s, and two cores' ticks are 0.02 s.
  EXPECT_FALSE(Load(runner, 0.33, 2).polluted);
  EXPECT_TRUE(Load(runner, 0.34, 2).polluted);
  EXPECT_NEAR(Load(runner, 0.34, 2).seconds, 0.34, 1e-9);
}

TEST(ForeignLoad, StealCountsAsForeign) {
  FakeRunner runner({.nodes = 1, .devices_per_node = 2});
  BlockResult block = runner.Run(RequestFor(Condition::kCrowd, runner.layout, 0, 10));
  block.ranks[0].machine_steal_s = 0.4;
  EXPECT_TRUE(ForeignLoadOf(block, 2, false).polluted);
}

TEST(ForeignLoad, EachMachineIsJudgedByItselfAndTheWorstCounts) {
  FakeRunner runner({.nodes = 2, .devices_per_node = 2});
  BlockResult block = runner.Run(RequestFor(Condition::kCrowd, runner.layout, 0, 10));
  EXPECT_FALSE(ForeignLoadOf(block, 2, false).polluted);
  block.ranks[2].machine_busy_s += 1;
  EXPECT_TRUE(ForeignLoadOf(block, 2, false).polluted);
  EXPECT_NEAR(ForeignLoadOf(block, 2, false).seconds, 1, 1e-9);
}

TEST(ForeignLoad, ARankThatOnlyWaitedIsNoWitness) {
  // Rank 0 waits, so its own window is over at once; rank 1 trains for 2 s beside 1 s of somebody else.
  BlockResult block;
  block.ranks.push_back({.rank = 0, .start_s = 10, .end_s = 10.001});
  block.ranks.push_back({.rank = 1, .start_s = 10, .end_s = 12, .cpu_s = 2, .machine_busy_s = 3});
  EXPECT_TRUE(ForeignLoadOf(block, 2, false).polluted);
  EXPECT_DOUBLE_EQ(ForeignLoadOf(block, 2, false).seconds, 1);
}

TEST(ForeignLoad, EmulatedMachinesShareOneLoad) {
  FakeRunner runner({.nodes = 2, .devices_per_node = 1, .emulated = true});
  EXPECT_FALSE(Load(runner, 0.1, 2).polluted);
  EXPECT_NEAR(Load(runner, 0.1, 2).seconds, 0.1, 1e-9);
}

}  // namespace
}  // namespace stallscope
