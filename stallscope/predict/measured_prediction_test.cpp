#include "stallscope/predict/measured_prediction.h"

#include <gtest/gtest.h>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

Estimate Exactly(double value) {
  return {value, value, value};
}

/// ResNet-18: 11,689,512 gradients of 4 B, here in one bucket; 100 ms before, 200 ms of backward pass, 50 ms
/// after it.
Profile Measured() {
  Profile profile;
  profile.workload.model = "resnet18";
  profile.workload.batch_per_device = 8;
  profile.workload.image_size = 64;
  profile.workload.bucket = "model";
  ConditionInfo& crowd = profile.conditions["crowd"];
  crowd.step_time_s = Exactly(0.35);
  crowd.parts.forward_s = 0.1;
  crowd.parts.backward_s = 0.2;
  crowd.parts.optimizer_s = 0.05;
  return profile;
}
constexpr double kGradientBytes = 11689512.0 * 4;

/// Loopback all-reduces at 1 GB/s with 1 ms of latency (2 steps of 2 trips of 0.25 ms); no memory rate.
MachineCard Card() {
  CollectiveCurve curve;
  curve.where = "machine";
  curve.fit = LinkFit{.latency_s = Exactly(0.25e-3), .bytes_per_s = Exactly(1e9), .trips_per_step = 2};
  MachineCard card;
  card.collectives.push_back(curve);
  return card;
}

/// Running statistics: one message of two trips before the forward pass.
constexpr double kBroadcast = 0.5e-3;

TEST(MeasuredPrediction, OneBucketFollowsTheBackwardPassAndNothingHidesIt) {
  const MeasuredPrediction p = PredictMeasured(Measured(), Card(), {});
  // Two ranks send each byte once: 46.8 MB at 1 GB/s and 1 ms.
  EXPECT_NEAR(p.step_s.mean, 0.35 + kBroadcast + 1e-3 + kGradientBytes / 1e9, 1e-9);
  EXPECT_DOUBLE_EQ(p.compute_s.mean, 0.35);
  EXPECT_NEAR(p.interconnect_s.mean, p.step_s.mean - 0.35, 1e-12);
  EXPECT_DOUBLE_EQ(p.network_s.mean, 0);
  EXPECT_DOUBLE_EQ(p.processor_share, 1);
  EXPECT_LT(p.step_s.low, p.step_s.mean);
  EXPECT_EQ(p.assumed.size(), 2U) << "no memory rate and no scatter between ranks";
}

TEST(MeasuredPrediction, AWireCarriesItsPayloadRateAndLeavesProcessorsAlone) {
  const LinkTarget target{.nodes = 2, .devices_per_node = 1, .wire = GigabitsPerSecond(1), .straggling = {}};
  const MeasuredPrediction p = PredictMeasured(Measured(), Card(), target);
  // 1448 of 1547 bytes: 117 MB/s.
  const double payload = 125e6 * 1448 / 1547;
  EXPECT_NEAR(p.step_s.mean, 0.35 + kBroadcast + 1e-3 + kGradientBytes / payload, 1e-9);
  // Of 401 ms on the wire processors work 48.
  EXPECT_NEAR(p.processor_share, (1e-3 + kGradientBytes / 1e9) / (1e-3 + kGradientBytes / payload), 1e-9);
  EXPECT_NEAR(p.network_s.mean, kGradientBytes / payload - kGradientBytes / 1e9, 1e-9);
}

TEST(MeasuredPrediction, EverybodyWaitsForTheSlowestRank) {
  LinkTarget target;
  target.straggling = Straggling{0.1, 2};
  // A tenth of 350 ms.
  EXPECT_NEAR(PredictMeasured(Measured(), Card(), target).step_s.mean,
              PredictMeasured(Measured(), Card(), {}).step_s.mean + 0.035, 1e-9);
}

TEST(MeasuredPrediction, CopiesIntoBucketsAndBackPassTheMemory) {
  MachineCard card = Card();
  card.memory = MemoryRates{};
  card.memory->all_cores.bytes_per_s = Exactly(20e9);
  // Each of two ranks has 10 GB/s; reading and writing, there and back: 4 x 46.8 MB.
  EXPECT_NEAR(PredictMeasured(Measured(), card, {}).step_s.mean,
              PredictMeasured(Measured(), Card(), {}).step_s.mean + 4 * kGradientBytes / 10e9, 1e-9);
}

TEST(MeasuredPrediction, SmallerBucketsTravelBesideTheBackwardPassOverASlowWire) {
  Profile bucketed = Measured();
  bucketed.workload.bucket = "25MiB";
  const LinkTarget slow{.nodes = 2, .devices_per_node = 1, .wire = GigabitsPerSecond(0.2), .straggling = {}};
  const MeasuredPrediction p = PredictMeasured(bucketed, Card(), slow);
  EXPECT_LT(p.step_s.mean, PredictMeasured(Measured(), Card(), slow).step_s.mean);
  EXPECT_LT(p.exposed_s, p.transfer_s);
}

TEST(MeasuredPrediction, SizesThatWereMeasuredCountAsMeasured) {
  MachineCard card = Card();
  card.collectives[0].points = {{.bytes = 40'000'000, .time_s = Exactly(0.1)},
                                {.bytes = 60'000'000, .time_s = Exactly(0.2)}};
  // 46,758,048 B lie 0.3379 of the way from 40 to 60 MB.
  EXPECT_NEAR(PredictMeasured(Measured(), card, {}).step_s.mean, 0.35 + kBroadcast + 0.1337902, 1e-6);
}

TEST(MeasuredPrediction, SaysWhatToMeasureWhereSomethingIsMissing) {
  Profile nothing = Measured();
  nothing.conditions.clear();
  EXPECT_THROW(PredictMeasured(nothing, Card(), {}), Error);
  EXPECT_THROW(PredictMeasured(Measured(), MachineCard{}, {}), Error);
  const LinkTarget unknown{.nodes = 2, .devices_per_node = 1, .wire = {}, .straggling = {}};
  EXPECT_THROW(PredictMeasured(Measured(), Card(), unknown), Error);
}

TEST(MeasuredPrediction, OneRankAloneIsAsMeasured) {
  const LinkTarget alone{.nodes = 1, .devices_per_node = 1, .wire = {}, .straggling = {}};
  EXPECT_DOUBLE_EQ(PredictMeasured(Measured(), MachineCard{}, alone).step_s.mean, 0.35);
}

}  // namespace
}  // namespace stallscope
