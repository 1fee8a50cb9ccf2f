#include "stallscope/predict/scaling_model.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace stallscope {
namespace {

using std::chrono_literals::operator""s;

/// 1 GB of gradients, all ready at the end of the backward pass.
constexpr std::array kLate = {cost::GradientBucket{1.0, {1e9}}};

ParameterValues With(ParameterValues values, Parameter parameter, double value) {
  const auto index = static_cast<std::size_t>(parameter);
  values[index] = ToFitSpace(AllParameters()[index], value);
  return values;
}

/// Efficiencies of one and no overheads, so that the arithmetic can be followed.
ParameterValues Plain() {
  ParameterValues values = PriorValues();
  for (Parameter one : {Parameter::kNvlinkEfficiency, Parameter::kPcieEfficiency, Parameter::kRdmaEfficiency,
                        Parameter::kSecondSocketShare}) {
    values = With(values, one, 1);
  }
  for (Parameter none : {Parameter::kSyncOverhead, Parameter::kJitter}) values = With(values, none, 1e-12);
  return values;
}

ScalingCase Machines(int nodes, int gpus) {
  ScalingCase machines;
  machines.buckets = kLate;
  machines.gpus_per_node = gpus;
  machines.nodes = nodes;
  machines.inside = {gpus > 1 ? InsideKind::kNvlink : InsideKind::kNone, {100e9}, {10e9}};
  machines.network = {10e9};
  machines.stack = StackOf("PyTorch").stack;
  return machines;
}

TEST(ScalingModel, OneGpuIsItsCompute) {
  EXPECT_DOUBLE_EQ(StepOf(Machines(1, 1), 3s, Plain()).step.count(), 3);
}

TEST(ScalingModel, InsideAMachineARingMovesTwiceTheGradientsLessAShare) {
  // 2 x 3/4 x 1 GB over 100 GB/s: 15 ms, and three hops of 12 us.
  EXPECT_NEAR(StepOf(Machines(1, 4), 3s, Plain()).exposed.count(), 0.015 + 36e-6, 1e-9);
}

TEST(ScalingModel, AcrossMachinesEveryMachineMovesOneSum) {
  // Inside 2 x 3/4 / 100 GB/s, across 2 x 1/2 / 10 GB/s: 15 + 100 ms, and 36 us + 0.2 ms.
  EXPECT_NEAR(StepOf(Machines(2, 4), 3s, Plain()).exposed.count(), 0.115 + 236e-6, 1e-9);
}

TEST(ScalingModel, SocketsAreBoundByTheProcessorHoweverFastTheLinkIs) {
  ScalingCase machines = Machines(2, 1);
  machines.transport = Transport::kTcp;
  machines.network = GigabitsPerSecond(400);
  // 1 GB at 3 GB/s, and 1 ms.
  EXPECT_NEAR(StepOf(machines, 3s, With(Plain(), Parameter::kTcpRate, 3)).exposed.count(), 0.334333, 1e-5);
  machines.network = GigabitsPerSecond(10);
  // 1 GB at 0.8 x 1.25 GB/s.
  EXPECT_NEAR(StepOf(machines, 3s, With(Plain(), Parameter::kTcpRate, 3)).exposed.count(), 1.001, 1e-5);
}

TEST(ScalingModel, StagingThroughTheHostIgnoresTheWires) {
  ScalingCase machine = Machines(1, 2);
  machine.inside.kind = InsideKind::kHostStaged;
  // 2 x 1/2 x 1 GB at 5 GB/s.
  EXPECT_NEAR(StepOf(machine, 3s, With(Plain(), Parameter::kHostStagingRate, 5)).exposed.count(), 0.2, 1e-4);
}

TEST(ScalingModel, WhatTravelsAfterTheBackwardPassIsNeverHidden) {
  constexpr std::array early = {cost::GradientBucket{0.0, {1e9}}};
  ScalingCase machines = Machines(2, 1);
  machines.buckets = early;
  const ParameterValues free = With(Plain(), Parameter::kInterferenceAcross, 1e-9);
  EXPECT_NEAR(StepOf(machines, 3s, free).exposed.count(), 0, 1e-6);
  machines.stack.overlaps = false;
  EXPECT_NEAR(StepOf(machines, 3s, free).exposed.count(), 0.1002, 1e-6);
}

TEST(ScalingModel, HostReductionSharesTheInterfaceAmongTheRanks) {
  ScalingCase machines = Machines(2, 4);
  const double devices = StepOf(machines, 3s, Plain()).transfer.count();
  machines.sync = GradientSync::kHostAllReduce;
  // Across 4 x 100 ms in place of 100 ms.
  EXPECT_GT(StepOf(machines, 3s, Plain()).transfer.count(), devices + 0.3);
}

TEST(ScalingModel, ParameterServersSendEveryRanksGradientsAcross) {
  ScalingCase machines = Machines(2, 4);
  machines.sync = GradientSync::kParameterServer;
  // Inside 15 ms, across 4 x 100 ms.
  EXPECT_NEAR(StepOf(machines, 3s, Plain()).exposed.count(), 0.415 + 236e-6, 1e-9);
}

TEST(ScalingModel, ALoaderThatIsAsSlowAsTheDeviceCostsTwoFifths) {
  ScalingCase machine = Machines(1, 1);
  machine.prepared_per_step = 100;
  machine.cpus = 10;
  // 100 images at 10 x 5 per second are 2 s; with 2 s of compute: sqrt(2^2 + 2^2).
  EXPECT_NEAR(StepOf(machine, 2s, With(Plain(), Parameter::kPreparedPerCpu, 5)).step.count(), std::sqrt(8.0),
              1e-9);
}

TEST(ScalingModel, ComputeWithinInvertsTheStep) {
  const ScalingCase machines = Machines(4, 8);
  const Seconds step = StepOf(machines, 1.5s, PriorValues()).step;
  EXPECT_NEAR(ComputeWithin(machines, step, PriorValues()).count(), 1.5, 1e-5);
}

TEST(ScalingModel, AStepShorterThanItsCommunicationKeepsARestOfCompute) {
  // 100 ms over the wire cannot have happened in 10 ms; the prediction of that very row still is 10 ms.
  const ScalingCase machines = Machines(2, 4);
  EXPECT_DOUBLE_EQ(ComputeWithin(machines, 0.01s, Plain()).count(), 0.0005);
  EXPECT_DOUBLE_EQ(ScaledStepTime(machines, 0.01s, machines, Plain()).count(), 0.01);
}

TEST(ScalingModel, MoreMachinesAreNeverFasterPerStep) {
  double last = 0;
  for (int nodes = 1; nodes <= 512; nodes *= 2) {
    const double step = StepOf(Machines(nodes, 8), 0.3s, PriorValues()).step.count();
    EXPECT_GE(step, last);
    last = step;
  }
}

TEST(ScalingModel, TheIntervalGrowsWithCommunicationAndWithWhatIsAssumed) {
  const ScalingCase one = Machines(1, 1);
  ScalingCase four = Machines(4, 8);
  const double slow = Scale(one, 0.3s, four, PriorValues()).log_spread;
  const double fast = Scale(one, 30s, four, PriorValues()).log_spread;
  EXPECT_GT(slow, 2 * fast);
  EXPECT_GE(fast, kRepeatSpread);
  four.assumed.transport = true;
  EXPECT_GT(Scale(one, 0.3s, four, PriorValues()).log_spread, slow);
}

TEST(ScalingModel, AnAssumedBatchWidensTheInterval) {
  ScalingCase one = Machines(1, 1);
  ScalingCase two = Machines(2, 1);
  const double known = Scale(one, 0.3s, two, PriorValues()).log_spread;
  one.assumed.batch = two.assumed.batch = true;
  EXPECT_GT(Scale(one, 0.3s, two, PriorValues()).log_spread, 1.05 * known);
}

}  // namespace
}  // namespace stallscope
