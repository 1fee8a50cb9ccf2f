#include "stallscope/predict/predictor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stallscope/base/error.h"
#include "stallscope/predict/gpu_names.h"

namespace stallscope {
namespace {

const Catalog& Facts() {
  static const Catalog catalog = Catalog::Load();
  return catalog;
}

const ComputeModel& Compute() {
  static const ComputeModel model(ComputeParameters::Shipped(), RateTable::Shipped(), SpeedsOf(Facts()));
  return model;
}

TrainingPlan Plan(const char* model) {
  TrainingPlan plan;
  plan.model = model;
  plan.data = PlannedData{1'281'167, {110e3}, 0.0};
  return plan;
}

TEST(Predictor, GivesWhatPredictTrainingGives) {
  const Predictor predictor(Plan("resnet50"), Facts(), Compute(), ShippedParameters());
  for (const char* instance : {"p3.8xlarge", "p3.16xlarge", "g4dn.xlarge"}) {
    const MachineCandidate candidate = predictor.Prepare(Facts().FindMachine(instance));
    for (const int nodes : {1, 2, 64}) {
      TrainingPlan plan = Plan("resnet50");
      plan.instance = instance;
      plan.nodes = nodes;
      const TrainingPrediction slow = PredictTraining(plan, Facts(), Compute(), ShippedParameters());
      const FastPrediction fast = predictor.Predict(candidate, nodes);
      EXPECT_DOUBLE_EQ(fast.step_s.mean, slow.step_s.mean);
      EXPECT_DOUBLE_EQ(fast.step_s.high, slow.step_s.high);
      EXPECT_DOUBLE_EQ(predictor.StepSeconds(candidate, nodes), slow.step_s.mean);
      EXPECT_EQ(fast.devices, slow.devices);
    }
  }
}

TEST(Predictor, TheStepsIntervalIsTheOneThatValidationChecks) {
  TrainingPlan plan = Plan("vgg16");
  plan.data.reset();
  const Predictor predictor(plan, Facts(), Compute(), ShippedParameters());
  const MachineCandidate candidate = predictor.Prepare(Facts().FindMachine("p3.8xlarge"));
  const FastPrediction fast = predictor.Predict(candidate, 4);
  ScalingCase target = candidate.across;
  target.nodes = 4;
  const ScalingParameters& shipped = ShippedParameters();
  const double compute = candidate.compute.seconds;
  const auto step = [&](double seconds) {
    return StepOf(target, Seconds(seconds), shipped.values).step.count();
  };
  const double factor = std::exp(candidate.compute.log_sd);
  const double follows = std::log(step(compute * factor) / step(compute / factor)) / 2;
  const double deviation = std::hypot(
      1.96 * follows, shipped.interval_factor * StepSpread(target, Seconds(compute), shipped.values));
  EXPECT_NEAR(fast.step_s.mean, step(compute), 1e-12);
  EXPECT_NEAR(std::log(fast.step_s.high / fast.step_s.mean), deviation, 1e-9);
}

TEST(Predictor, ASliceIsSlowerThanTheWholeGpuAndLessSure) {
  TrainingPlan plan = Plan("resnet18");
  plan.batch = 8;
  const Predictor predictor(plan, Facts(), Compute(), ShippedParameters());
  Machine whole = Facts().FindMachine("g4dn.xlarge");
  Machine slice = whole;
  slice.gpus = 0.5;
  const MachineCandidate of_whole = predictor.Prepare(whole);
  const MachineCandidate of_slice = predictor.Prepare(slice);
  EXPECT_GT(of_slice.compute.seconds, 1.5 * of_whole.compute.seconds);
  EXPECT_GT(of_slice.compute.log_sd, of_whole.compute.log_sd);
  EXPECT_EQ(of_slice.one.gpus_per_node, 1);
}

TEST(Predictor, MemoryHoldsWhatItHasRoomFor) {
  TrainingPlan plan = Plan("resnet50");
  plan.data->cached_share.reset();
  const Predictor predictor(plan, Facts(), Compute(), ShippedParameters());
  const Machine& machine = Facts().FindMachine("p3.8xlarge");
  // Three quarters of its memory for 1,281,167 images of 110 kB, 141 GB.
  const double room = 0.75 * machine.memory->value / (1'281'167 * 110e3);
  EXPECT_NEAR(predictor.Prepare(machine).cached_share.value(), std::min(1.0, room), 1e-12);
}

TEST(Predictor, ADiskThatNobodyDescribesIsAssumedAndLessSure) {
  // 10 TB, of which memory holds nothing: 8 GPUs x 32 images of 1 MB at 500 MB/s take half a second.
  TrainingPlan plan = Plan("resnet50");
  plan.data = PlannedData{1e7, {1e6}, 0.0};
  const Predictor predictor(plan, Facts(), Compute(), ShippedParameters());
  Machine machine = Facts().FindMachine("p3.16xlarge");
  const MachineCandidate known = predictor.Prepare(machine);
  machine.disk_ceiling.reset();
  machine.disk_baseline.reset();
  const MachineCandidate unknown = predictor.Prepare(machine);
  const auto assumed = [](const MachineCandidate& candidate) {
    return std::count(candidate.assumed.begin(), candidate.assumed.end(), "disk");
  };
  EXPECT_EQ(assumed(known), 0);
  EXPECT_EQ(assumed(unknown), 1);
  EXPECT_NEAR(unknown.fetch_s.value(), 8 * 32 * 1e6 / 500e6, 1e-9);
  const FastPrediction prediction = predictor.Predict(unknown, 1);
  EXPECT_GT(prediction.fetch_s->mean, 0.3);
  EXPECT_GT(prediction.step_log_sd, 1.5 * predictor.Predict(known, 1).step_log_sd);
}

TEST(Predictor, GpusWithoutBf16AreNotGivenIt) {
  TrainingPlan plan = Plan("resnet50");
  plan.precision = "bf16";
  const Predictor predictor(plan, Facts(), Compute(), ShippedParameters());
  EXPECT_THROW(predictor.Prepare(Facts().FindMachine("p3.8xlarge")), Error);
  EXPECT_NO_THROW(predictor.Prepare(Facts().FindMachine("p4d.24xlarge")));
}

TEST(Predictor, FewWorkersPrepareLess) {
  TrainingPlan plan = Plan("resnet50");
  plan.workers = 1;
  const Predictor few(plan, Facts(), Compute(), ShippedParameters());
  plan.workers.reset();
  const Predictor all(plan, Facts(), Compute(), ShippedParameters());
  const Machine& machine = Facts().FindMachine("p3.16xlarge");
  EXPECT_GT(few.Predict(few.Prepare(machine), 1).prep_s->mean,
            all.Predict(all.Prepare(machine), 1).prep_s->mean);
}

TEST(Predictor, AMeasuredWorkloadNeedsNoNetworkOfTheZoo) {
  TrainingPlan plan;
  plan.model = "mine";
  plan.measured = MeasuredWorkload{{{0.5, {50e6}}, {1, {50e6}}}, {}, SampleKind::kTokens};
  plan.measured->compute.seconds = 0.2;
  plan.measured->compute.log_sd = 0.05;
  const Predictor predictor(plan, Facts(), Compute(), ShippedParameters());
  const FastPrediction p = predictor.Predict(predictor.Prepare(Facts().FindMachine("p3.2xlarge")), 1);
  EXPECT_DOUBLE_EQ(p.step_s.mean, 0.2);
  EXPECT_DOUBLE_EQ(p.compute_s.mean, 0.2);
}

TEST(Predictor, RefusesWhatCannotBe) {
  const Predictor predictor(Plan("resnet50"), Facts(), Compute(), ShippedParameters());
  const MachineCandidate candidate = predictor.Prepare(Facts().FindMachine("p3.2xlarge"));
  EXPECT_THROW(predictor.Predict(candidate, 0), Error);
  TrainingPlan many = Plan("resnet50");
  many.gpus = 5;
  const Predictor five(many, Facts(), Compute(), ShippedParameters());
  EXPECT_THROW(five.Prepare(Facts().FindMachine("p3.8xlarge")), Error);
}

}  // namespace
}  // namespace stallscope
