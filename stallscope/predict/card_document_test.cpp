#include "stallscope/predict/card_document.h"

#include <gtest/gtest.h>

namespace stallscope {
namespace {

/// A step of 300 ms over a link: 200 alone, 40 inside, 60 between.
MeasuredPrediction Step() {
  MeasuredPrediction prediction;
  prediction.step_s = {0.3, 0.29, 0.31};
  prediction.compute_s = {0.2, 0.195, 0.205};
  prediction.interconnect_s = {0.04, 0.03, 0.05};
  prediction.network_s = {0.06, 0.04, 0.08};
  prediction.basis = "measured 'crowd'";
  return prediction;
}

Profile WithData(double loader_limit_s) {
  Profile profile;
  profile.workload.batch_per_device = 8;
  profile.workload.dataset = DatasetInfo{"/data", "images", 1000, 85'000'000};
  profile.loader_limit_s = Estimate{loader_limit_s, loader_limit_s - 0.01, loader_limit_s + 0.01};
  profile.stalls.prep = Stall{{0.02, 0.01, 0.03}, {0.1, 0.05, 0.15}, true};
  return profile;
}

MachineCard Card() {
  MachineCard card;
  card.host.name = "amber";
  return card;
}

const LinkTarget kTwo{.nodes = 2, .devices_per_node = 1, .wire = BytesPerSecond{62.5e6}};

TEST(CardDocument, ThePartsMakeTheStep) {
  const PredictedMachine machine = ToDocument(Step(), WithData(0.1), Card(), kTwo);
  // 200 + 40 + 60 + 20 of prep as measured.
  EXPECT_NEAR(machine.step_time_s.mean, 0.32, 1e-12);
  EXPECT_NEAR(machine.samples_per_s.mean, 16 / 0.32, 1e-9);
  EXPECT_EQ(machine.compute.basis, kBasisMeasured);
  EXPECT_EQ(machine.description, "TCP over 0.5 Gbit between");
  // 1,000 samples in steps of 16: 63 steps.
  EXPECT_NEAR(machine.epoch_time_s->mean, 63 * 0.32, 1e-9);
  EXPECT_FALSE(machine.epoch_cost_usd);
  EXPECT_FALSE(machine.fetch);
}

TEST(CardDocument, ALoaderThatNeedsLongerThanTheStepIsWaitedFor) {
  const PredictedMachine machine = ToDocument(Step(), WithData(0.4), Card(), kTwo);
  // 400 ms alone, 300 of them behind the step.
  EXPECT_NEAR(machine.prep->seconds.mean, 0.1, 1e-12);
  EXPECT_NEAR(machine.step_time_s.mean, 0.4, 1e-12);
}

TEST(CardDocument, OnlyTheLinkMovesTheChange) {
  PredictedMachine plain = ToDocument(Step(), Profile{}, Card(), kTwo);
  MeasuredPrediction faster = Step();
  faster.step_s = {0.27, 0.26, 0.28};
  faster.network_s = {0.03, 0.03, 0.03};
  const Estimate change = StepTimeChange(plain, ToDocument(faster, Profile{}, Card(), kTwo));
  // 270 / 300 - 1; the plain network stall is known to 20 ms of 300.
  EXPECT_NEAR(change.mean, -0.1, 1e-12);
  EXPECT_NEAR(change.low, -0.1 - 0.02 / 0.3, 1e-12);
}

}  // namespace
}  // namespace stallscope
