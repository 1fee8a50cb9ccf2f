#include "stallscope/predict/processor_step.h"

#include <gtest/gtest.h>

#include <numeric>

namespace stallscope {
namespace {

double Sum(const std::vector<double>& shares) {
  return std::accumulate(shares.begin(), shares.end(), 0.0);
}

TEST(BackwardShares, SumToOne) {
  for (const char* name : {"resnet18", "mobilenet_v2", "vgg11", "bert_base"}) {
    const Network network = BuildNetwork(name, {});
    EXPECT_NEAR(Sum(BackwardShares(network, 8, Seconds(1), {10e9})), 1, 1e-12) << name;
  }
}

TEST(BackwardShares, GoByMultiplicationsWhereMemoryIsNoLimit) {
  const Network network = BuildNetwork("resnet18", {});
  const std::vector<double> shares = BackwardShares(network, 8, Seconds(1), {1e30});
  const auto all = static_cast<double>(Totals(network).forward_macs);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    EXPECT_NEAR(shares[i], static_cast<double>(network.layers[i].forward_macs) / all, 1e-9);
  }
}

TEST(BackwardShares, LargeWeightsCountOnASlowMemory) {
  // VGG-11's classifier has 124 of its 133 million weights, and at 64 pixels a fifth of its multiplications.
  const Network network = BuildNetwork("vgg11", {.image_size = 64, .sequence_length = {}, .classes = {}});
  const auto classifier = [&](double memory) {
    const std::vector<double> shares = BackwardShares(network, 8, Seconds(1), {memory});
    double sum = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (network.layers[i].kind == LayerKind::kLinear) sum += shares[i];
    }
    return sum;
  };
  EXPECT_LT(classifier(1e30), 0.3);
  // 8 B for each of 124 million weights at 1 GB/s: a second and more of about three.
  EXPECT_GT(classifier(1e9), 0.4);
}

}  // namespace
}  // namespace stallscope
