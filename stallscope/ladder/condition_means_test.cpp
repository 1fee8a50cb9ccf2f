#include "stallscope/ladder/condition_means.h"

#include <gtest/gtest.h>

namespace stallscope {
namespace {

TEST(ConditionMeans, RoundsWeighAlikeAndThoseWithoutBucketsAreLeftOut) {
  BlockSummary first, second, unmatched;
  first.buckets = {{.bytes = 40, .ready_s = 1, .begin_s = 2, .end_s = 3, .exposed_s = 0}};
  second.buckets = {{.bytes = 40, .ready_s = 2, .begin_s = 4, .end_s = 7, .exposed_s = 1}};
  const std::vector<BucketInfo> means = BucketsOverRounds({&first, &unmatched, &second});
  ASSERT_EQ(means.size(), 1U);
  EXPECT_EQ(means[0].bytes, 40);
  EXPECT_DOUBLE_EQ(means[0].ready_s, 1.5);
  EXPECT_DOUBLE_EQ(means[0].begin_s, 3);
  EXPECT_DOUBLE_EQ(means[0].end_s, 5);
  EXPECT_DOUBLE_EQ(means[0].exposed_s, 0.5);
  unmatched.buckets.resize(2);
  EXPECT_TRUE(BucketsOverRounds({&first, &unmatched, &second}).empty());
}

TEST(ConditionMeans, ANumberIsTheMeanOfTheRoundsThatHaveIt) {
  BlockSummary first, second, unsampled;
  first.resources = ResourceInfo{.cpu_busy_share = 0.5, .page_cache_bytes = 100};
  second.resources = ResourceInfo{.cpu_busy_share = 0.7};
  const auto mean = ResourcesOverRounds({&first, &second, &unsampled});
  ASSERT_TRUE(mean);
  EXPECT_DOUBLE_EQ(*mean->cpu_busy_share, 0.6);
  EXPECT_DOUBLE_EQ(*mean->page_cache_bytes, 100);
  EXPECT_FALSE(mean->memory_used_bytes);
  EXPECT_FALSE(ResourcesOverRounds({&unsampled}));
  EXPECT_FALSE(ResourcesOverRounds({}));
}

}  // namespace
}  // namespace stallscope
