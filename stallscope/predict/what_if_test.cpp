#include "stallscope/predict/what_if.h"

#include <gtest/gtest.h>

#include "stallscope/predict/prediction_document.h"
#include "stallscope/predict/predictor.h"

namespace stallscope {
namespace {

/// A step whose logarithm moves by these with one parameter and with the compute time.
TrainingPrediction Step(double seconds, double parameter, double compute, const char* gpu = "V100") {
  TrainingPrediction prediction;
  prediction.step_s = {seconds, seconds, seconds};
  prediction.step_effects.assign(kUncertain, 0);
  prediction.step_effects[0] = parameter;
  prediction.step_effects[kCompute] = compute;
  prediction.gpu = gpu;
  return prediction;
}

TEST(WhatIf, WhatBothShareIsNotInTheIntervalOfTheChange) {
  const WhatIf both{.bandwidth = GigabitsPerSecond(25), .gpu = {}, .workers = 4};
  const Estimate same = StepTimeChange(Step(0.2, 0.1, 0.3), Step(0.1, 0.1, 0.3), both);
  EXPECT_NEAR(same.mean, -0.5, 1e-12);
  EXPECT_NEAR(same.low, -0.5, 1e-12);
  EXPECT_NEAR(same.high, -0.5, 1e-12);
  // 0.1 apart in one parameter: half x e^(+-1.96 x 0.1).
  const Estimate apart = StepTimeChange(Step(0.2, 0.2, 0.3), Step(0.1, 0.1, 0.3), both);
  EXPECT_NEAR(apart.low, 0.5 * std::exp(-0.196) - 1, 1e-12);
  EXPECT_NEAR(apart.high, 0.5 * std::exp(0.196) - 1, 1e-12);
}

TEST(WhatIf, AnotherGpusComputeTimeIsUnsureOnItsOwn) {
  const WhatIf gpu{.bandwidth = {}, .gpu = "A100", .workers = {}};
  const Estimate change = StepTimeChange(Step(0.2, 0, 0.3), Step(0.2, 0, 0.4, "A100"), gpu);
  // sqrt(0.3^2 + 0.4^2) = 0.5.
  EXPECT_NEAR(change.high, std::exp(1.96 * 0.5) - 1, 1e-12);
}

TEST(WhatIf, AFasterNetworkNeverLengthensAStep) {
  const WhatIf faster{.bandwidth = GigabitsPerSecond(25), .gpu = {}, .workers = {}};
  const Estimate change = StepTimeChange(Step(0.2, 0.5, 0), Step(0.18, 0, 0), faster);
  EXPECT_LT(change.low, -0.1);
  EXPECT_EQ(change.high, 0);
}

TEST(WhatIf, TheChangedMachineHasTheRateWhateverItsFabric) {
  Machine machine;
  machine.network_ceiling = GigabitsPerSecond(10);
  machine.burst = NetworkBurst::kCredit;
  machine.network_baseline = GigabitsPerSecond(1);
  const WhatIf what_if{.bandwidth = GigabitsPerSecond(25), .gpu = "A100", .workers = {}};
  EXPECT_DOUBLE_EQ(SustainedNetwork(Changed(machine, what_if))->value, 25e9 / 8);
  machine.fabric = Fabric{"efa", 4, GigabitsPerSecond(400), true};
  EXPECT_DOUBLE_EQ(Changed(machine, what_if).fabric->rate->value, 25e9 / 8);
  EXPECT_EQ(Changed(machine, what_if).gpu, "A100");
  EXPECT_EQ(Describe(what_if), "25 Gbit between machines and A100 GPUs");
}

TEST(PredictionDocument, TheWeakestOfTheLargePartsIsTheBasisOfTheStep) {
  const Machine machine{.provider = "aws", .name = "m"};
  TrainingPrediction prediction;
  prediction.step_s = {1, 0.9, 1.1};
  prediction.compute_s = {0.9, 0.8, 1};
  prediction.interconnect_s = {0.095, 0.09, 0.1};
  prediction.prep_s = Estimate{0, 0, 0};
  prediction.fetch_s = Estimate{0.005, 0, 0.01};
  prediction.disk = BytesPerSecond{1e9};
  prediction.devices_per_node = 8;
  prediction.basis = ComputeBasis::kPublished;
  const auto basis = [&] {
    return ToDocument(prediction, {.machine = machine, .scaling = ShippedParameters(), .today = "2026-11-17"})
        .basis;
  };
  // Half a percent for the disk's table does not count.
  EXPECT_EQ(basis(), kBasisScaled);
  prediction.fetch_s->mean = 0.05;
  EXPECT_EQ(basis(), kBasisTable);
}

}  // namespace
}  // namespace stallscope
