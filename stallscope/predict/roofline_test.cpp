#include "stallscope/predict/roofline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "stallscope/predict/layer_traffic.h"

namespace stallscope {
namespace {

/// 1 TFLOP/s in fp32, 2 in tf32, 4 on tensor cores, 100 GB/s: round numbers for arithmetic by hand.
GpuSpeed RoundGpu() {
  GpuSpeed gpu;
  gpu.name = "round";
  gpu.chip = "round";
  gpu.fp32 = 1e12;
  gpu.has_tf32 = true;
  gpu.tf32 = 2e12;
  gpu.tensor = 4e12;
  gpu.memory_bandwidth = 1e11;
  return gpu;
}

/// Every share is one, and nothing is lost per kernel or layer.
RooflineLogs Ideal() {
  RooflineLogs logs{};
  logs[static_cast<std::size_t>(RooflineTerm::kLaunch)] = std::log(1e-30);
  logs[static_cast<std::size_t>(RooflineTerm::kFill)] = std::log(1e-30);
  return logs;
}

RooflineLogs With(RooflineTerm term, double value) {
  RooflineLogs logs = Ideal();
  logs[static_cast<std::size_t>(term)] = std::log(value);
  return logs;
}

/// Two linear layers of 1,000 x 1,000: images of 3 x 32 x 32 would add odd numbers, so the table is made by
/// hand.
Network TwoLinearLayers() {
  Network network;
  network.name = "two";
  Layer input;
  input.kind = LayerKind::kInput;
  input.output_shape = {1000};
  network.layers.push_back(input);
  for (std::size_t i = 0; i < 2; ++i) {
    Layer linear;
    linear.kind = LayerKind::kLinear;
    linear.inputs = {i};
    linear.output_shape = {1000};
    linear.forward_macs = 1'000'000;
    linear.parameters = {{"weight", {1000, 1000}}};
    network.layers.push_back(linear);
  }
  return network;
}

TEST(Roofline, AddsProductsTrafficAndOptimiser) {
  const Workload workload{.batch = 100, .dtype = Dtype::kFp32, .stack = {}, .source = {}};
  const StepDemand demand = DemandOf(TwoLinearLayers(), workload, RoundGpu());
  // Products: 2 layers x 1e6 MACs x 6 operations x 100 samples / 1e12 = 1.2 ms.
  // Traffic: 2 x 3 passes x 2,000 elements x 100 samples x 4 B / 1e11 = 48 us.
  // Optimiser: 2e6 parameters x 20 B / 1e11 = 400 us.
  EXPECT_NEAR(RooflineSeconds(demand, Ideal()), 1.2e-3 + 48e-6 + 400e-6, 1e-12);
}

TEST(Roofline, HalfPrecisionHalvesTrafficAndTakesTheTensorRate) {
  const Workload workload{.batch = 100, .dtype = Dtype::kAmp, .stack = {}, .source = {}};
  const StepDemand demand = DemandOf(TwoLinearLayers(), workload, RoundGpu());
  // 1.2e9 operations / 4e12 = 0.3 ms; 24 us of operands; the optimiser stays in fp32: 400 us.
  EXPECT_NEAR(RooflineSeconds(demand, Ideal()), 0.3e-3 + 24e-6 + 400e-6, 1e-12);
  // At half the efficiency products take 0.3 ms more, and nothing else changes.
  EXPECT_NEAR(RooflineSeconds(demand, With(RooflineTerm::kLinearAmp, 0.5)), 0.6e-3 + 424e-6, 1e-12);
}

TEST(Roofline, LaunchesAndFillDoNotGrowWithTheBatch) {
  RooflineLogs logs = With(RooflineTerm::kLaunch, 1e-5);
  logs[static_cast<std::size_t>(RooflineTerm::kFill)] = std::log(1e8);
  const auto seconds = [&](int batch) {
    const Workload workload{.batch = batch, .dtype = Dtype::kFp32, .stack = {}, .source = {}};
    return RooflineSeconds(DemandOf(TwoLinearLayers(), workload, RoundGpu()), logs);
  };
  // 6 kernels x 10 us + 2 layers x 1e8 / 1e12 = 60 + 200 us, and the optimiser's 400 us.
  EXPECT_NEAR(2 * seconds(100) - seconds(200), 660e-6, 1e-12);
}

TEST(Roofline, OnlyConvolutionsInHalfPrecisionAreTransposed) {
  const Network network = BuildNetwork("resnet18", {});
  const auto seconds = [&](Dtype dtype, bool channels_last) {
    Workload workload{.batch = 32, .dtype = dtype, .stack = {}, .source = {}};
    workload.stack.channels_last = channels_last;
    return RooflineSeconds(DemandOf(network, workload, RoundGpu()), PriorLogs());
  };
  EXPECT_GT(seconds(Dtype::kAmp, false), seconds(Dtype::kAmp, true));
  EXPECT_DOUBLE_EQ(seconds(Dtype::kFp32, false), seconds(Dtype::kFp32, true));
}

TEST(Roofline, UnfusedStacksPayForChainsOfSmallKernelsInTransformersAlone) {
  const auto ratio = [](const char* name) {
    const Network network = BuildNetwork(name, {});
    Workload workload{.batch = 32, .dtype = Dtype::kAmp, .stack = {}, .source = {}};
    workload.stack.channels_last = true;
    const double fused = RooflineSeconds(DemandOf(network, workload, RoundGpu()), PriorLogs());
    workload.stack.fusion = Fusion::kUnfused;
    return RooflineSeconds(DemandOf(network, workload, RoundGpu()), PriorLogs()) / fused;
  };
  EXPECT_GT(ratio("bert_base"), 1.3);
  EXPECT_DOUBLE_EQ(ratio("resnet50"), 1);
}

TEST(Roofline, LayersAndOptimiserMakeTheStep) {
  const Network network = BuildNetwork("vgg11", {});
  const Workload workload{.batch = 16, .dtype = Dtype::kTf32, .stack = {}, .source = {}};
  const StepDemand demand = DemandOf(network, workload, RoundGpu());
  const std::vector<double> layers = LayerSeconds(demand, Ideal());
  ASSERT_EQ(layers.size(), network.layers.size());
  // 132,863,336 parameters x 20 B / 1e11 B/s = 26.6 ms of optimiser.
  EXPECT_NEAR(RooflineSeconds(demand, Ideal()) - std::accumulate(layers.begin(), layers.end(), 0.0),
              132'863'336.0 * 20 / 1e11, 1e-9);
}

TEST(Roofline, EveryKindOfLayerThatComputesMovesSomething) {
  for (const std::string& name : NetworkNames()) {
    const Network network = BuildNetwork(name, {});
    for (const Layer& layer : network.layers) {
      const LayerTraffic traffic = TrafficOf(network, layer);
      EXPECT_EQ(layer.forward_macs > 0, traffic.products > 0) << name << " " << layer.name;
      EXPECT_EQ(traffic.kernels > 0, traffic.products + traffic.others > 0) << name << " " << layer.name;
    }
  }
}

}  // namespace
}  // namespace stallscope
