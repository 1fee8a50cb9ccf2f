#include "stallscope/ladder/bucket_means.h"

#include <gtest/gtest.h>

#include "stallscope/ladder/block_summary.h"
#include "stallscope/ladder/fake_runner.h"

namespace stallscope {
namespace {

RankBlock RankWith(const std::vector<std::vector<BucketTimes>>& steps) {
  RankBlock rank;
  for (const auto& buckets : steps) rank.steps.emplace_back().buckets = buckets;
  return rank;
}

TEST(BucketMeans, AreOverRanksAndCountedSteps) {
  const BucketTimes settling = {.bytes = 8, .ready_s = 90, .begin_s = 91, .end_s = 99};
  const RankBlock first = RankWith({{settling},
                                    {{.bytes = 8, .ready_s = 1, .begin_s = 2, .end_s = 4}},  //
                                    {{.bytes = 8, .ready_s = 3, .begin_s = 4, .end_s = 8}}});
  const RankBlock second = RankWith({{settling},
                                     {{.bytes = 8, .ready_s = 2, .begin_s = 2, .end_s = 4}},  //
                                     {{.bytes = 8, .ready_s = 2, .begin_s = 4, .end_s = 8}}});
  const std::vector<BucketInfo> means = BucketsOf({&first, &second}, 1);
  ASSERT_EQ(means.size(), 1U);
  EXPECT_EQ(means[0].bytes, 8);
  EXPECT_DOUBLE_EQ(means[0].ready_s, (1.0 + 3 + 2 + 2) / 4);
  EXPECT_DOUBLE_EQ(means[0].begin_s, (2.0 + 4 + 2 + 4) / 4);
  EXPECT_DOUBLE_EQ(means[0].end_s, (4.0 + 8 + 4 + 8) / 4);
}

TEST(BucketMeans, ExposedIsWhatLiesAfterTheRanksLastGradient) {
  // The last bucket is ready at 5. [1, 4] is hidden; of [3, 7] 2 s are not; all 3 s of [6, 9] are not.
  const RankBlock rank = RankWith({{{.bytes = 1, .ready_s = 1, .begin_s = 1, .end_s = 4},
                                    {.bytes = 2, .ready_s = 3, .begin_s = 3, .end_s = 7},
                                    {.bytes = 3, .ready_s = 5, .begin_s = 6, .end_s = 9}}});
  const std::vector<BucketInfo> means = BucketsOf({&rank}, 0);
  ASSERT_EQ(means.size(), 3U);
  EXPECT_DOUBLE_EQ(means[0].exposed_s, 0);
  EXPECT_DOUBLE_EQ(means[1].exposed_s, 2);
  EXPECT_DOUBLE_EQ(means[2].exposed_s, 3);
}

TEST(BucketMeans, ListsThatDifferInLengthSayNothing) {
  const RankBlock one = RankWith({{BucketTimes{}}});
  const RankBlock two = RankWith({{BucketTimes{}, BucketTimes{}}});
  EXPECT_TRUE(BucketsOf({&one, &two}, 0).empty());
  EXPECT_TRUE(BucketsOf({}, 0).empty());
}

TEST(BucketMeans, ASummaryHasThemWhereGradientsAreSynchronised) {
  FakeRunner runner({.nodes = 1, .devices_per_node = 2});
  const BlockSummary node =
      Summarise(runner.Run(RequestFor(Condition::kNode, runner.layout, 0, 3)), 1, false);
  ASSERT_EQ(node.buckets.size(), 1U);
  EXPECT_EQ(node.buckets[0].bytes, 1000);
  // Ready at 0.1, [0.1, 0.15]: nothing is hidden.
  EXPECT_NEAR(node.buckets[0].exposed_s, 0.05, 1e-12);
  EXPECT_TRUE(
      Summarise(runner.Run(RequestFor(Condition::kCrowd, runner.layout, 0, 3)), 1, false).buckets.empty());
}

}  // namespace
}  // namespace stallscope
