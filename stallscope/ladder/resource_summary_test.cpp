#include "stallscope/ladder/resource_summary.h"

#include <gtest/gtest.h>

#include "stallscope/ladder/block_summary.h"

namespace stallscope {
namespace {

/// Steps of one second from `start_s` on.
RankBlock RankOf(int rank, int node, double start_s, int steps) {
  RankBlock block{.rank = rank, .node = node, .start_s = start_s, .end_s = start_s + steps};
  for (int i = 0; i < steps; ++i) block.steps.push_back({.start_s = start_s + i, .total_s = 1});
  return block;
}

BlockResult BlockOf(const std::vector<RankBlock>& ranks, int steps) {
  BlockResult block;
  for (const RankBlock& rank : ranks) {
    if (!rank.steps.empty()) block.request.ranks.push_back(rank.rank);
  }
  block.request.steps = steps;
  block.ranks = ranks;
  return block;
}

TEST(ResourceSummary, RatesAreTheGrowthWithinTheCountedSteps) {
  RankBlock rank = RankOf(0, 0, 100, 4);
  // The settling step, [100, 101], is a burst that does not count; neither does what follows the end at 104.
  rank.samples = {{.time_s = 100, .cpu_busy_s = 10, .disk_read_bytes = 0, .network_sent_bytes = 0},
                  {.time_s = 101.5, .cpu_busy_s = 20, .disk_read_bytes = 9000, .network_sent_bytes = 100},
                  {.time_s = 102.5, .cpu_busy_s = 20.5, .disk_read_bytes = 9000, .network_sent_bytes = 700},
                  {.time_s = 103.5, .cpu_busy_s = 22, .disk_read_bytes = 9500, .network_sent_bytes = 900},
                  {.time_s = 104.1, .cpu_busy_s = 90, .disk_read_bytes = 99999, .network_sent_bytes = 99999}};
  const auto info = ResourcesOf(BlockOf({rank}, 4), 1, false, 4);
  ASSERT_TRUE(info);
  // 2 s of CPU time in 2 s, on 4 cores.
  EXPECT_DOUBLE_EQ(*info->cpu_busy_share, 0.25);
  EXPECT_DOUBLE_EQ(*info->disk_read_bytes_per_s, 500 / 2.0);
  EXPECT_DOUBLE_EQ(*info->network_sent_bytes_per_s, 800 / 2.0);
  EXPECT_FALSE(info->disk_written_bytes_per_s);
  EXPECT_FALSE(info->network_received_bytes_per_s);
  EXPECT_FALSE(info->memory_used_bytes);
}

TEST(ResourceSummary, MemoryAndGpusAreMeansOfSamples) {
  RankBlock rank = RankOf(0, 0, 100, 2);
  rank.samples = {{.time_s = 101, .memory_used_bytes = 10, .page_cache_bytes = 1, .gpu_busy_share = 0.5},
                  {.time_s = 102, .memory_used_bytes = 30, .page_cache_bytes = 2, .gpu_memory_bytes = 7}};
  const auto info = ResourcesOf(BlockOf({rank}, 2), 1, false, 4);
  ASSERT_TRUE(info);
  EXPECT_DOUBLE_EQ(*info->memory_used_bytes, 20);
  EXPECT_DOUBLE_EQ(*info->page_cache_bytes, 1.5);
  EXPECT_DOUBLE_EQ(*info->gpu_busy_share, 0.5);
  EXPECT_DOUBLE_EQ(*info->gpu_memory_bytes, 7);
}

TEST(ResourceSummary, OneSampleOrAFallingCounterGivesNoRate) {
  RankBlock rank = RankOf(0, 0, 100, 2);
  rank.samples = {{.time_s = 101.5, .cpu_busy_s = 5, .memory_used_bytes = 10}};
  const auto one = ResourcesOf(BlockOf({rank}, 2), 1, false, 4);
  ASSERT_TRUE(one);
  EXPECT_FALSE(one->cpu_busy_share);
  EXPECT_EQ(one->memory_used_bytes, 10);
  rank.samples = {{.time_s = 101, .network_sent_bytes = 5000}, {.time_s = 102, .network_sent_bytes = 40}};
  EXPECT_FALSE(ResourcesOf(BlockOf({rank}, 2), 1, false, 4));
}

TEST(ResourceSummary, WithoutTheNumberOfCoresThereIsNoBusyShare) {
  RankBlock rank = RankOf(0, 0, 100, 2);
  rank.samples = {{.time_s = 101, .cpu_busy_s = 1, .memory_used_bytes = 3},
                  {.time_s = 102, .cpu_busy_s = 2, .memory_used_bytes = 3}};
  EXPECT_FALSE(ResourcesOf(BlockOf({rank}, 2), 1, false, std::nullopt)->cpu_busy_share);
  EXPECT_DOUBLE_EQ(*ResourcesOf(BlockOf({rank}, 2), 1, false, 2)->cpu_busy_share, 0.5);
}

TEST(ResourceSummary, MachinesWeighAlikeAndHaveTheirOwnClocks) {
  // The second machine's clock is far behind; its ranks' samples may come from a rank that waits.
  RankBlock first = RankOf(0, 0, 5000, 3);
  first.samples = {{.time_s = 5001, .network_sent_bytes = 0}, {.time_s = 5002, .network_sent_bytes = 100}};
  RankBlock waits{.rank = 1, .node = 1, .start_s = 10, .end_s = 10};
  waits.samples = {{.time_s = 11, .network_sent_bytes = 0}, {.time_s = 13, .network_sent_bytes = 600}};
  const RankBlock works = RankOf(2, 1, 10, 3);
  const auto info = ResourcesOf(BlockOf({first, waits, works}, 3), 1, false, 2);
  ASSERT_TRUE(info);
  // (100 / 1 s + 600 / 2 s) / 2
  EXPECT_DOUBLE_EQ(*info->network_sent_bytes_per_s, 200);
}

TEST(ResourceSummary, EmulatedMachinesShareTheHostButHaveTheirOwnNetwork) {
  // Only the first machine trains (solo); both saw the host's one busy core of two.
  RankBlock first = RankOf(0, 0, 100, 3);
  first.samples = {{.time_s = 101, .cpu_busy_s = 50, .network_sent_bytes = 0},
                   {.time_s = 103, .cpu_busy_s = 52, .network_sent_bytes = 400}};
  RankBlock second{.rank = 1, .node = 1, .start_s = 100, .end_s = 100};
  second.samples = {{.time_s = 101, .cpu_busy_s = 50, .network_sent_bytes = 0},
                    {.time_s = 103, .cpu_busy_s = 52, .network_sent_bytes = 0}};
  const BlockResult block = BlockOf({first, second}, 3);
  const auto emulated = ResourcesOf(block, 1, true, 2);
  ASSERT_TRUE(emulated);
  EXPECT_DOUBLE_EQ(*emulated->cpu_busy_share, 0.5);
  // (400 / 2 s + 0) / 2
  EXPECT_DOUBLE_EQ(*emulated->network_sent_bytes_per_s, 100);
  // Real machines: the one that does not train has nothing to say.
  EXPECT_DOUBLE_EQ(*ResourcesOf(block, 1, false, 2)->network_sent_bytes_per_s, 200);
}

TEST(ResourceSummary, WithoutSamplesThereAreNone) {
  EXPECT_FALSE(ResourcesOf(BlockOf({RankOf(0, 0, 100, 3)}, 3), 1, false, 2));
  EXPECT_FALSE(MeanOfResources({}));
  EXPECT_FALSE(MeanOfResources({ResourceInfo{}}));
}

TEST(ResourceSummary, ASummaryHasThemWhereSamplesWereTaken) {
  RankBlock rank = RankOf(0, 0, 100, 3);
  EXPECT_FALSE(Summarise(BlockOf({rank}, 3), 1, false, 2).resources);
  rank.samples = {{.time_s = 101, .cpu_busy_s = 1}, {.time_s = 103, .cpu_busy_s = 4}};
  const BlockSummary summary = Summarise(BlockOf({rank}, 3), 1, false, 2);
  ASSERT_TRUE(summary.resources);
  // 3 s in 2 s, on 2 cores.
  EXPECT_DOUBLE_EQ(*summary.resources->cpu_busy_share, 0.75);
}

}  // namespace
}  // namespace stallscope
