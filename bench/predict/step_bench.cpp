// How many steps a core predicts in a second, and how long one of 4,096 devices takes. Prints one JSON
// object.
#include <fmt/core.h>

#include <chrono>

#include "stallscope/predict/gradient_buckets.h"
#include "stallscope/predict/scaling_model.h"

namespace {

using namespace stallscope;

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ScalingCase Cluster(int nodes, int gpus, const std::vector<cost::GradientBucket>& buckets) {
  ScalingCase cluster;
  cluster.buckets = buckets;
  cluster.nodes = nodes;
  cluster.gpus_per_node = gpus;
  cluster.inside = {gpus > 1 ? InsideKind::kNvlink : InsideKind::kNone, {150e9}, {15.75e9}};
  cluster.network = GigabitsPerSecond(100);
  cluster.stack = StackOf("PyTorch").stack;
  return cluster;
}

}  // namespace

int main() {
  const auto buckets = BucketsOf(BuildNetwork("bert_large", {}), 4, kUsualBucket);
  const ParameterValues& values = ShippedParameters().values;
  constexpr int kRounds = 200000;
  double sum = 0;
  double start = Now();
  for (int i = 0; i < kRounds; ++i) {
    // 8 to 64 devices.
    sum += StepOf(Cluster(1 << (i % 4), 8, buckets), Seconds(0.1 + 1e-6 * i), values).step.count();
  }
  const double per_second = kRounds / (Now() - start);
  const ScalingCase one = Cluster(1, 1, buckets);
  constexpr int kIntervals = 2000;
  start = Now();
  for (int i = 0; i < kIntervals; ++i) {
    sum += Scale(one, Seconds(0.1 + 1e-6 * i), Cluster(1 << (i % 4), 8, buckets), values).log_spread;
  }
  const double with_interval = kIntervals / (Now() - start);
  start = Now();
  sum += Scale(one, Seconds(0.1), Cluster(512, 8, buckets), values).step.count();
  const double largest = Now() - start;
  fmt::print(
      "{{\"predictions_per_s\": {:.0f}, \"with_interval_per_s\": {:.0f}, \"devices_4096_s\": {:.6f}, "
      "\"checksum\": {:.6g}}}\n",
      per_second, with_interval, largest, sum);
}
