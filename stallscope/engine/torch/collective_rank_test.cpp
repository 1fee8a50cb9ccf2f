#include "stallscope/engine/torch/collective_rank.h"

#include <gtest/gtest.h>

#include "stallscope/engine/torch/ranks_for_tests.h"

namespace stallscope {
namespace {

/// Every rank's times of the requests, by rank, one after another.
std::vector<std::vector<CollectiveTimes>> RunOn(int ranks, const std::vector<CollectiveRequest>& requests) {
  std::vector<std::vector<CollectiveTimes>> times(static_cast<std::size_t>(ranks));
  WithRanks(ranks, [&](EngineConfig& config) {
    config.measures_collectives = true;
    Team team(config);
    CollectiveRank rank(team);
    for (const CollectiveRequest& request : requests)
      times[static_cast<std::size_t>(config.rank)].push_back(rank.Run(request).times);
    // Nobody hangs up while another still speaks.
    team.Barrier();
  });
  return times;
}

TEST(CollectiveRank, EverySizeTakesItsTimeOnEveryRankOfTheGroup) {
  std::vector<CollectiveBlock> blocks;
  for (const std::int64_t bytes : {4, 1024, 1 << 20, 16 << 20})
    blocks.push_back({.bytes = bytes, .repeats = 3, .warm_bytes = 64, .warm_repeats = 2});
  const auto times = RunOn(2, {{.group = 0, .blocks = blocks}});
  for (const auto& of_rank : times) {
    ASSERT_EQ(of_rank[0].size(), 4u);
    for (const double time : of_rank[0]) EXPECT_GT(time, 0);
  }
}

TEST(CollectiveRank, RanksOutsideTheGroupWait) {
  // Of three ranks, group 0 are the first two, and group 1 all.
  const std::vector<CollectiveBlock> blocks = {{.bytes = 256, .repeats = 5}};
  const auto times = RunOn(3, {{.group = 0, .blocks = blocks}, {.group = 1, .blocks = blocks}});
  EXPECT_EQ(times[0][0].size(), 1u);
  EXPECT_EQ(times[1][0].size(), 1u);
  EXPECT_TRUE(times[2][0].empty());
  for (const auto& of_rank : times) EXPECT_EQ(of_rank[1].size(), 1u);
}

TEST(CollectiveRank, APingIsTheFirstRanksAndAStreamTheSeconds) {
  const std::vector<CollectiveBlock> blocks = {
      {.kind = CollectiveKind::kPing, .bytes = 4, .repeats = 20},
      {.kind = CollectiveKind::kStream, .bytes = 1 << 20, .repeats = 20},
      {.kind = CollectiveKind::kStream, .bytes = 1 << 10, .repeats = 1}};
  const auto times = RunOn(3, {{.group = 1, .blocks = blocks}});
  EXPECT_GT(times[0][0][0], 0);
  EXPECT_EQ(times[1][0][0], 0);
  for (const std::size_t stream : {1u, 2u}) {
    EXPECT_EQ(times[0][0][stream], 0);
    EXPECT_GT(times[1][0][stream], 0);
  }
  EXPECT_EQ(times[2][0], (CollectiveTimes{0, 0, 0}));
}

}  // namespace
}  // namespace stallscope
