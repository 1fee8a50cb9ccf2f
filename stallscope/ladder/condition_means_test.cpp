#include "stallscope/ladder/condition_means.h"

#include <gtest/gtest.h>

#include "stallscope/ladder/fake_runner.h"
#include "stallscope/ladder/ladder_document.h"

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

/// Adds what a machine with one busy core of two would say, at the begin and the end of every block.
struct SampledRunner : FakeRunner {
  using FakeRunner::FakeRunner;
  BlockResult Run(const BlockRequest& request) override {
    BlockResult result = FakeRunner::Run(request);
    RankBlock& first = result.ranks.front();
    for (const double time_s : {first.start_s, first.end_s}) {
      first.samples.push_back({.time_s = time_s, .cpu_busy_s = time_s});
    }
    return result;
  }
};

TEST(ConditionMeans, TheDocumentHasThemForEveryRung) {
  SampledRunner runner({.nodes = 1, .devices_per_node = 2});
  MeasureOptions options;
  options.layout = runner.layout;
  options.conditions = RungsOf(runner.layout).present;
  options.cores_per_machine = 2;
  options.clock = [&runner] { return runner.now_s; };
  MeasureObserver nobody;
  const Profile profile = MakeProfile({}, options, RungsOf(runner.layout), Measure(runner, options, nobody));
  const ConditionInfo& node = profile.conditions.at("node");
  ASSERT_EQ(node.buckets.size(), 1U);
  EXPECT_NEAR(node.buckets[0].exposed_s, 0.05, 1e-12);
  EXPECT_TRUE(profile.conditions.at("crowd").buckets.empty());
  for (const auto& [name, condition] : profile.conditions) {
    ASSERT_TRUE(condition.resources) << name;
    EXPECT_NEAR(condition.resources->cpu_busy_share.value(), 0.5, 1e-9) << name;
  }
}

}  // namespace
}  // namespace stallscope
