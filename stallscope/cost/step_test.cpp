#include "stallscope/cost/step.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace stallscope::cost {
namespace {

using std::chrono_literals::operator""s;

/// 1 s forward, 4 s backward, 0.5 s optimiser.
constexpr StepCompute kCompute{1s, 4s, 0.5s};
constexpr std::array kHalves = {GradientBucket{0.5, {2e9}}, GradientBucket{1.0, {1e9}}};

TEST(Step, WithoutBucketsIsComputeAlone) {
  const StepTimes times = SimulateStep(kCompute, {}, {});
  EXPECT_DOUBLE_EQ(times.step.count(), 5.5);
  EXPECT_DOUBLE_EQ(times.exposed.count(), 0);
}

TEST(Step, ATransferBesideTheBackwardPassIsHiddenAndTheLastOneIsNot) {
  // 1 GB/s. The first bucket is ready at 1 + 2 = 3 s and travels until 5 s, as long as the backward pass
  // lasts; the second is ready then and takes 1 s: 5 + 1 + 0.5.
  const StepTimes times = SimulateStep(kCompute, kHalves, {.seconds_per_byte = 1e-9});
  EXPECT_DOUBLE_EQ(times.step.count(), 6.5);
  EXPECT_DOUBLE_EQ(times.transfer.count(), 3);
  EXPECT_DOUBLE_EQ(times.exposed.count(), 1);
}

TEST(Step, BucketsWaitForTheChannel) {
  // 0.5 GB/s: the first travels from 3 to 7 s, the second from 7 to 9 s, and then the optimiser.
  EXPECT_DOUBLE_EQ(SimulateStep(kCompute, kHalves, {.seconds_per_byte = 2e-9}).step.count(), 9.5);
}

TEST(Step, AfterTheBackwardPassNothingIsHidden) {
  const Channel channel{.seconds_per_byte = 1e-9, .overlap = Overlap::kAfterBackward};
  // 5 s of compute, 3 s on the wire, 0.5 s.
  EXPECT_DOUBLE_EQ(SimulateStep(kCompute, kHalves, channel).step.count(), 8.5);
}

TEST(Step, ATransferThatStopsTheDeviceHidesNothing) {
  const Channel channel{.seconds_per_byte = 1e-9, .interference = 1};
  EXPECT_DOUBLE_EQ(SimulateStep(kCompute, kHalves, channel).step.count(), 8.5);
}

TEST(Step, InterferenceSlowsTheBackwardPassWhileTheChannelIsBusy) {
  // The first bucket travels from 3 to 5 s; meanwhile half of 2 s are computed, so 1 s is left: the second is
  // ready at 6 s and arrives at 7 s.
  const Channel channel{.seconds_per_byte = 1e-9, .interference = 0.5};
  EXPECT_DOUBLE_EQ(SimulateStep(kCompute, kHalves, channel).step.count(), 7.5);
}

TEST(Step, EveryBucketPaysItsLatency) {
  const Channel channel{.latency = 0.25s, .overlap = Overlap::kAfterBackward};
  EXPECT_DOUBLE_EQ(SimulateStep(kCompute, kHalves, channel).step.count(), 6);
}

TEST(Step, GradientsThatAreReadyLastAreExposedInFull) {
  // The same 3 GB: ready at once they hide behind 4 s of backward pass, ready at its end they do not.
  const std::array early = {GradientBucket{0.0, {3e9}}};
  const std::array late = {GradientBucket{1.0, {3e9}}};
  EXPECT_DOUBLE_EQ(SimulateStep(kCompute, early, {.seconds_per_byte = 1e-9}).exposed.count(), 0);
  EXPECT_DOUBLE_EQ(SimulateStep(kCompute, late, {.seconds_per_byte = 1e-9}).exposed.count(), 3);
}

TEST(Step, NeverTakesLessThanComputeOrMoreThanTheSum) {
  for (double interference : {0.0, 0.3, 0.9, 1.0}) {
    for (double rate : {1e-10, 1e-9, 3e-9}) {
      const StepTimes times =
          SimulateStep(kCompute, kHalves, {.seconds_per_byte = rate, .interference = interference});
      EXPECT_GE(times.exposed.count(), -1e-12);
      EXPECT_LE(times.exposed.count(), times.transfer.count() + 1e-12);
    }
  }
}

TEST(Step, GatheringDelaysABucketAndScatteringTheEnd) {
  // 1 GB/s, half a second to gather and to scatter each GB. Forward 1 s, 2 s of backward, 1 s to gather 2 GB:
  // the first travels from 4 to 6 s. The rest of the backward pass ends at 6 s, 0.5 s to gather 1 GB: the
  // second travels from 6.5 to 7.5 s. Meanwhile the first is scattered, until 7.5 s; the second until 8 s.
  const Channel channel{.seconds_per_byte = 1e-9, .gather_s_per_byte = 0.5e-9, .scatter_s_per_byte = 0.5e-9};
  EXPECT_DOUBLE_EQ(SimulateStep(kCompute, kHalves, channel).step.count(), 8.5);
}

TEST(Step, OnAMachinePlanABucketTakesItsRing) {
  Topology pair;
  const int a = pair.Add(Part::kGpu);
  const int b = pair.Add(Part::kGpu);
  pair.Connect(a, b, {.latency = 0s, .bandwidth = {1e9}});
  // Two GPUs send each byte once: as at 1 GB/s above.
  EXPECT_DOUBLE_EQ(SimulateStep(kCompute, kHalves, PlanMachine(pair), 1).step.count(), 6.5);
}

}  // namespace
}  // namespace stallscope::cost
