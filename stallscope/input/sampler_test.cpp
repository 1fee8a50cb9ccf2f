#include "stallscope/input/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace stallscope {
namespace {

TEST(Sampler, EveryRankSeesEverySampleOnceUpToPadding) {
  for (int ranks = 1; ranks <= 7; ++ranks) {
    for (const std::size_t count : {1UL, 5UL, 7UL, 100UL, 1001UL}) {
      const auto order = ShuffledEpoch(count, 3, 0);
      std::map<std::uint32_t, int> seen;
      std::set<std::size_t> lengths;
      for (int rank = 0; rank < ranks; ++rank) {
        const auto shard = ShardOf(order, rank, ranks);
        lengths.insert(shard.size());
        for (const std::uint32_t sample : shard) ++seen[sample];
      }
      EXPECT_EQ(lengths.size(), 1U) << "ranks take the same number of steps";
      EXPECT_EQ(seen.size(), count);
      std::size_t repeats = 0;
      for (const auto& [sample, times] : seen) repeats += static_cast<std::size_t>(times - 1);
      EXPECT_EQ(repeats, *lengths.begin() * static_cast<std::size_t>(ranks) - count);
      EXPECT_LT(repeats, static_cast<std::size_t>(ranks));
    }
  }
}

TEST(Sampler, TheSameSeedGivesTheSameOrder) {
  EXPECT_EQ(ShuffledEpoch(1000, 5, 2), ShuffledEpoch(1000, 5, 2));
  EXPECT_NE(ShuffledEpoch(1000, 5, 2), ShuffledEpoch(1000, 6, 2));
  EXPECT_NE(ShuffledEpoch(1000, 5, 2), ShuffledEpoch(1000, 5, 3));
  EXPECT_NE(ShuffledEpoch(1000, 1, 2), ShuffledEpoch(1000, 2, 1));
}

TEST(Sampler, AnEpochHoldsEverySampleOnce) {
  auto order = ShuffledEpoch(5000, 1, 0);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (std::uint32_t i = 0; i < 5000; ++i) ASSERT_EQ(order[i], i);
}

TEST(Sampler, SeedsOfSamplesDiffer) {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t epoch = 0; epoch < 10; ++epoch) {
    for (std::uint32_t sample = 0; sample < 100; ++sample) seeds.insert(SampleSeed(1, epoch, sample));
  }
  EXPECT_EQ(seeds.size(), 1000U);
}

}  // namespace
}  // namespace stallscope
