#include "stallscope/engine/curve_measurement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "stallscope/base/error.h"
#include "stallscope/engine/curve_plan.h"
#include "stallscope/stats/random.h"

namespace stallscope {
namespace {

/// Ranks whose collectives take what the formula says. No time passes.
class FormulaRunner : public CollectiveRunner {
 public:
  FormulaRunner(int nodes, int devices_per_node, double latency_s, double bytes_per_s)
      : groups_(CollectiveGroups(nodes, devices_per_node)),
        ranks_(static_cast<std::size_t>(nodes * devices_per_node)),
        latency_s_(latency_s),
        bytes_per_s_(bytes_per_s) {}

  std::vector<CollectiveReport> Run(const CollectiveRequest& request) override {
    const CollectiveGroup& group = groups_.at(request.group);
    std::vector<CollectiveReport> reports(ranks_);
    std::vector<std::int64_t> sizes;
    for (const CollectiveBlock& block : request.blocks) {
      sizes.push_back(block.bytes);
      for (const int rank : group.ranks) {
        const double skew = 1 + 0.02 * (rank == group.ranks.front() ? 1 : -1);  // cancels for two ranks
        reports[static_cast<std::size_t>(rank)].times.push_back(skew * TimeOf(block, group));
      }
      moved_s += block.repeats * TimeOf(block, group);
    }
    orders.push_back(sizes);
    return reports;
  }

  std::vector<std::vector<std::int64_t>> orders;  ///< of the sizes in each request
  double moved_s = 0;                             ///< what a real job would have taken for its timed repeats

 private:
  double TimeOf(const CollectiveBlock& block, const CollectiveGroup& group) {
    const double n = static_cast<double>(group.ranks.size());
    const auto bytes = static_cast<double>(block.bytes);
    const double noise = 1 + 0.01 * random_.Normal();
    if (block.kind != CollectiveKind::kAllReduce) return noise * (latency_s_ + bytes / bytes_per_s_);
    // Too few elements for a whole ring: faster than the formula.
    const double steps = bytes < 8 * n ? n - 1 : 2 * (n - 1);
    return noise * (steps * 2 * latency_s_ + 2 * (n - 1) / n * bytes / bytes_per_s_);
  }

  std::vector<CollectiveGroup> groups_;
  std::size_t ranks_;
  double latency_s_;
  double bytes_per_s_;
  Random random_{4};
};

TEST(MeasureCurves, RecoversTheLinkOfTwoMachines) {
  FormulaRunner runner(2, 1, 200e-6, 119.6e6);
  const auto curves = MeasureCurves(runner, {.nodes = 2, .devices_per_node = 1, .budget = Seconds(40)});
  ASSERT_EQ(curves.size(), 1u);
  const CollectiveCurve& curve = curves[0];
  EXPECT_EQ(curve.where, "cluster");
  EXPECT_EQ(curve.ranks, 2);
  EXPECT_EQ(curve.nodes, 2);
  EXPECT_GE(curve.rounds, kLeastCurveRounds);
  ASSERT_TRUE(curve.fit);
  EXPECT_NEAR(curve.fit->latency_s.mean, 200e-6, 10e-6);
  EXPECT_NEAR(curve.fit->bytes_per_s.value().mean, 119.6e6, 3e6);
  // 4 B are one element, which takes fewer steps: measured, but not fitted.
  EXPECT_EQ(curve.points.front().bytes, 4);
  EXPECT_EQ(curve.fit->segments.front().from_bytes, 16);
  ASSERT_TRUE(curve.point_to_point);
  EXPECT_NEAR(curve.point_to_point->latency_s.mean, 200e-6 * 1.02, 5e-6);
}

TEST(MeasureCurves, WhatElseIsMeasuredComesBeforeEveryRound) {
  FormulaRunner runner(1, 2, 10e-6, 1e9);
  int calls = 0;
  CurveOptions options{.nodes = 1, .devices_per_node = 2, .budget = Seconds(30)};
  const int alone = MeasureCurves(runner, options)[0].rounds;
  options.between_rounds = [&] { ++calls; };
  EXPECT_EQ(MeasureCurves(runner, options)[0].rounds, alone);
  EXPECT_EQ(calls, alone);
}

TEST(MeasureCurves, TheMeanOverRanksIsReported) {
  FormulaRunner runner(1, 2, 10e-6, 1e9);
  const CollectivePoint point = MeasureCurves(runner, {.nodes = 1, .devices_per_node = 2})[0].points.back();
  EXPECT_NEAR(point.time_s.mean, static_cast<double>(point.bytes) / 1e9, 0.02 * point.time_s.mean);
  EXPECT_NEAR(point.algorithm_bytes_per_s, 1e9, 0.02e9);
  EXPECT_NEAR(point.bus_bytes_per_s, 1e9, 0.02e9);
}

TEST(MeasureCurves, SizesThatTakeTooLongAreLeftOutWithAReason) {
  // 12 MB/s: 256 MiB would take 22 s each.
  FormulaRunner runner(2, 1, 200e-6, 12e6);
  const auto curve = MeasureCurves(runner, {.nodes = 2, .devices_per_node = 1, .budget = Seconds(30)})[0];
  ASSERT_FALSE(curve.absent.empty());
  EXPECT_EQ(curve.absent.back().bytes, 256 << 20);
  EXPECT_THAT(curve.absent.back().reason, testing::HasSubstr("too long for 8 rounds"));
  EXPECT_EQ(curve.points.size() + curve.absent.size(), CurveSizes().size());
  EXPECT_LT(curve.points.back().bytes, curve.absent.front().bytes);
  EXPECT_LT(runner.moved_s, 30);
  // Enough is left for the slope: several sizes take longer than their messages.
  ASSERT_TRUE(curve.fit && curve.fit->bytes_per_s);
  EXPECT_NEAR(curve.fit->bytes_per_s->mean, 12e6, 0.3e6);
}

TEST(MeasureCurves, ASlowLinkStillHasPointsAndSaysWhyItHasNoMore) {
  // 20 KB/s: 64 KiB take 3 s.
  FormulaRunner runner(2, 1, 1e-3, 20e3);
  const auto curve = MeasureCurves(runner, {.nodes = 2, .devices_per_node = 1, .budget = Seconds(20)})[0];
  EXPECT_EQ(curve.points.back().bytes, kLargestUnseen);
  EXPECT_EQ(curve.absent.size(), 6u);
  EXPECT_TRUE(curve.fit);
}

TEST(MeasureCurves, MemoryOfTheMachineLimitsTheMessages) {
  FormulaRunner runner(1, 2, 10e-6, 1e9);
  // Two ranks hold two messages each: 4 x 64 MiB fit into half of 1 GiB, 4 x 256 MiB do not.
  const auto curve = MeasureCurves(runner, {.nodes = 1, .devices_per_node = 2, .memory_bytes = 1 << 30})[0];
  ASSERT_EQ(curve.absent.size(), 1u);
  EXPECT_EQ(curve.absent[0].bytes, 256 << 20);
  EXPECT_THAT(curve.absent[0].reason, testing::HasSubstr("memory"));
}

TEST(MeasureCurves, EveryRoundHasEverySizeInAnOrderOfItsOwn) {
  FormulaRunner runner(1, 2, 10e-6, 1e9);
  const auto curve = MeasureCurves(runner, {.nodes = 1, .devices_per_node = 2})[0];
  std::set<std::vector<std::int64_t>> distinct;
  int rounds = 0;
  for (std::vector<std::int64_t> order : runner.orders) {
    if (order.size() != curve.points.size() + 2) continue;  // the tries; rounds also ping and stream
    ++rounds;
    distinct.insert(order);
  }
  EXPECT_EQ(rounds, curve.rounds);
  EXPECT_GE(distinct.size(), 7u);
}

TEST(MeasureCurves, OneSeedGivesOneOrder) {
  const auto orders = [](std::uint64_t seed) {
    FormulaRunner runner(1, 2, 10e-6, 1e9);
    MeasureCurves(runner, {.nodes = 1, .devices_per_node = 2, .seed = seed});
    return runner.orders;
  };
  EXPECT_EQ(orders(3).at(8), orders(3).at(8));
  EXPECT_NE(orders(3).at(8), orders(4).at(8));
}

TEST(MeasureCurves, EveryGroupHasItsCurveAndPairsAreMeasuredOnce) {
  FormulaRunner runner(2, 3, 50e-6, 1e9);
  const auto curves = MeasureCurves(runner, {.nodes = 2, .devices_per_node = 3, .budget = Seconds(60)});
  ASSERT_EQ(curves.size(), 4u);  // 2 and 3 ranks of a machine, one rank of each, all six
  EXPECT_TRUE(curves[0].point_to_point);
  EXPECT_FALSE(curves[1].point_to_point);
  ASSERT_TRUE(curves[2].point_to_point);
  EXPECT_EQ(curves[2].point_to_point->to_rank, 3);
  EXPECT_FALSE(curves[3].point_to_point);
  EXPECT_EQ(curves[3].ranks, 6);
  EXPECT_NEAR(curves[3].fit.value().latency_s.mean, 50e-6, 5e-6);
}

/// Every third request takes a hundred times as long as the others.
class StumblingRunner : public FormulaRunner {
 public:
  using FormulaRunner::FormulaRunner;
  std::vector<CollectiveReport> Run(const CollectiveRequest& request) override {
    auto reports = FormulaRunner::Run(request);
    if (orders.size() % 3 != 0) return reports;
    for (CollectiveReport& of_rank : reports) {
      for (double& time : of_rank.times) time *= 100;
    }
    return reports;
  }
};

TEST(MeasureCurves, IntervalsHoldNoTimeBelowTheLeastThatWasSeen) {
  StumblingRunner runner(2, 1, 200e-6, 119.6e6);
  const auto curve = MeasureCurves(runner, {.nodes = 2, .devices_per_node = 1, .budget = Seconds(40)})[0];
  for (const CollectivePoint& point : curve.points) {
    EXPECT_GT(point.time_s.low, 0);
    EXPECT_LE(point.time_s.low, point.time_s.mean);
  }
  ASSERT_TRUE(curve.point_to_point);
  EXPECT_GT(curve.point_to_point->bytes_per_s.low, 0);
  EXPECT_LE(curve.point_to_point->bytes_per_s.mean, curve.point_to_point->bytes_per_s.high);
  EXPECT_GE(curve.fit.value().latency_s.low, 0);
}

/// In every third request others take half a core from the first rank's machine, and all takes ten times as
/// long. Blocks last a second.
class DisturbedRunner : public FormulaRunner {
 public:
  using FormulaRunner::FormulaRunner;
  std::vector<CollectiveReport> Run(const CollectiveRequest& request) override {
    auto reports = FormulaRunner::Run(request);
    const bool disturbed = always || orders.size() % 3 == 0;
    for (CollectiveReport& of_rank : reports) {
      const bool first = &of_rank == &reports.front();
      of_rank.machine = first ? "first" : "second";
      for (double& time : of_rank.times) {
        time *= disturbed ? 10 : 1;
        of_rank.loads.push_back(
            {.wall_s = 1, .own_s = 0.5, .machine_s = disturbed && first ? 1 : 0.5, .steal_s = 0});
      }
    }
    return reports;
  }
  bool always = false;
};

TEST(MeasureCurves, WhatOthersDisturbedIsRunAgain) {
  DisturbedRunner runner(2, 1, 200e-6, 119.6e6);
  const auto curve = MeasureCurves(runner, {.nodes = 2, .devices_per_node = 1, .budget = Seconds(40)})[0];
  EXPECT_EQ(curve.disturbed_blocks, 0);
  EXPECT_NEAR(curve.fit.value().latency_s.mean, 200e-6, 10e-6);
  for (const CollectivePoint& point : curve.points)
    EXPECT_LT(point.time_s.high, 1.1 * point.time_s.mean) << point.bytes;
}

TEST(MeasureCurves, OnAMachineThatIsNeverIdleDisturbedBlocksCountAndAreCounted) {
  DisturbedRunner runner(2, 1, 200e-6, 119.6e6);
  runner.always = true;
  const auto curve = MeasureCurves(runner, {.nodes = 2, .devices_per_node = 1, .budget = Seconds(40)})[0];
  // Every size, the ping and the stream, in every round.
  EXPECT_EQ(curve.disturbed_blocks, curve.rounds * static_cast<int>(curve.points.size() + 2));
}

TEST(CollectiveDisturbance, RanksOfOneMachineDoNotDisturbEachOther) {
  // Both are busy for 0.9 of a second, of 1.8 that their machine counts; 0.05 s and two ticks can be borne.
  CollectiveReport rank{.times = {1}, .loads = {{1, 0.9, 1.8, 0}}, .machine = "one", .cores = 2};
  EXPECT_EQ(DisturbanceOf({rank, rank}, 0), 0);
  rank.loads[0].steal_s = 0.14;
  EXPECT_NEAR(DisturbanceOf({rank, rank}, 0), 2, 1e-9);
  // On machines of their own each would have been disturbed for 0.9 s.
  rank.loads[0].steal_s = 0;
  CollectiveReport other = rank;
  other.machine = "two";
  EXPECT_NEAR(DisturbanceOf({rank, other}, 0), 0.9 / 0.07, 1e-9);
}

TEST(MeasureCurves, ASignalEndsIt) {
  FormulaRunner runner(1, 2, 10e-6, 1e9);
  CurveOptions options{.nodes = 1, .devices_per_node = 2};
  options.interrupted = [&] { return runner.orders.size() == 4; };
  EXPECT_THROW(MeasureCurves(runner, options), Error);
}

TEST(CurveSizes, RunFromOneElementTo256MiBByFours) {
  const auto sizes = CurveSizes();
  EXPECT_EQ(sizes.front(), 4);
  EXPECT_EQ(sizes.back(), 256 << 20);
  EXPECT_EQ(sizes.size(), 14u);
}

TEST(PlanCurve, SmallSizesRepeatAndNoSizeIsPlannedFasterThanTheLinkSustains) {
  // The largest says 100 ns a byte. 64 KiB slipped through a burst in 1 ms; sustained it takes 6.6 ms.
  const CurvePlan plan = PlanCurve({{16, 1e-4}, {65536, 1e-3}, {1 << 20, 0.1048576}}, Seconds(60), false);
  ASSERT_EQ(plan.blocks.size(), 3u);
  EXPECT_EQ(plan.blocks[0].repeats, 300);  // 30 ms / 100 us
  EXPECT_EQ(plan.blocks[1].repeats, 5);    // 30 ms / 6.6 ms
  EXPECT_EQ(plan.blocks[2].repeats, 1);
  EXPECT_EQ(plan.blocks[2].warm_bytes, 1 << 20);
  EXPECT_EQ(plan.rounds, kMostCurveRounds);
}

TEST(PlanCurve, ATryThatTookLongerThanALargerMessageDoesNotShortenItsBlock) {
  // 4 bytes cannot take 4 ms where 64 do in 100 us.
  const CurvePlan plan = PlanCurve({{4, 4e-3}, {16, 2e-4}, {64, 1e-4}, {256, 3e-4}}, Seconds(60), false);
  EXPECT_EQ(plan.blocks[0].repeats, 300);  // 30 ms / 100 us
  EXPECT_EQ(plan.blocks[1].repeats, 300);
  EXPECT_EQ(plan.blocks[3].repeats, 100);  // 30 ms / 300 us
}

}  // namespace
}  // namespace stallscope
