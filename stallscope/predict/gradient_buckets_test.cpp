#include "stallscope/predict/gradient_buckets.h"

#include <gtest/gtest.h>

namespace stallscope {
namespace {

double SumOf(const std::vector<cost::GradientBucket>& buckets) {
  double sum = 0;
  for (const cost::GradientBucket& bucket : buckets) sum += bucket.size.value;
  return sum;
}

TEST(GradientBuckets, CarryEveryGradientOnce) {
  for (const std::string name : {"resnet50", "bert_base", "vgg16", "gpt2"}) {
    const Network network = BuildNetwork(name, {});
    const auto parameters = static_cast<double>(Totals(network).parameters);
    EXPECT_DOUBLE_EQ(SumOf(BucketsOf(network, 4, kUsualBucket)), 4 * parameters) << name;
    EXPECT_DOUBLE_EQ(SumOf(BucketsOf(network, 2, {0})), 2 * parameters) << name;
  }
}

TEST(GradientBuckets, AreReadyInOrderAndTheLastAtTheEnd) {
  const auto buckets = BucketsOf(BuildNetwork("resnet50", {}), 4, kUsualBucket);
  // 102 MB in buckets of 26 MB or a little more: three full ones and a rest, or four.
  EXPECT_GE(buckets.size(), 3U);
  EXPECT_LE(buckets.size(), 5U);
  for (std::size_t i = 1; i < buckets.size(); ++i) EXPECT_GE(buckets[i].ready, buckets[i - 1].ready);
  EXPECT_DOUBLE_EQ(buckets.back().ready, 1);
}

TEST(GradientBuckets, EmbeddingsAreReadyLast) {
  const auto buckets = BucketsOf(BuildNetwork("bert_base", {}), 4, kUsualBucket);
  // 30,522 words of 768 numbers of 4 B: 93.8 MB in the last bucket.
  EXPECT_GE(buckets.back().size.value, 30522.0 * 768 * 4);
  EXPECT_DOUBLE_EQ(buckets.back().ready, 1);
}

TEST(GradientBuckets, WithoutACapEveryTensorIsItsOwn) {
  const Network network = BuildNetwork("resnet18", {});
  EXPECT_EQ(BucketsOf(network, 4, {0}).size(), static_cast<std::size_t>(Totals(network).gradient_tensors));
}

TEST(GradientBuckets, TheFirstHasItsOwnSize) {
  const Network network = BuildNetwork("resnet18", {});
  std::vector<double> shares(network.layers.size(), 1.0 / static_cast<double>(network.layers.size()));
  const auto buckets = BucketsOf(network, 4, {{1 << 20}, kUsualBucket}, shares);
  // The classifier: 512 x 1000 weights and 1000 biases of 4 B are the first 1 MiB or more.
  EXPECT_DOUBLE_EQ(buckets.front().size.value, 513000.0 * 4);
  EXPECT_DOUBLE_EQ(SumOf(buckets), 11689512.0 * 4);
}

}  // namespace
}  // namespace stallscope
