#include "stallscope/predict/training_prediction.h"

#include <gtest/gtest.h>

#include "stallscope/base/error.h"
#include "stallscope/predict/gpu_names.h"

namespace stallscope {
namespace {

const Catalog& Facts() {
  static const Catalog catalog = Catalog::Load();
  return catalog;
}

TrainingPrediction Predict(const TrainingPlan& plan) {
  static const ComputeModel model(ComputeParameters::Shipped(), RateTable::Shipped(), SpeedsOf(Facts()));
  return PredictTraining(plan, Facts(), model, ShippedParameters());
}

TrainingPlan Plan(const char* model, const char* instance, int nodes) {
  TrainingPlan plan;
  plan.model = model;
  plan.instance = instance;
  plan.nodes = nodes;
  return plan;
}

TEST(TrainingPrediction, PartsMakeTheStepAndTheStepTheRate) {
  TrainingPlan plan = Plan("resnet50", "p3.8xlarge", 2);
  plan.data = PlannedData{1'281'167, {110e3}, 0};
  const TrainingPrediction p = Predict(plan);
  EXPECT_EQ(p.devices, 8);
  EXPECT_NEAR(p.compute_s.mean + p.interconnect_s.mean + p.network_s.mean + p.prep_s->mean + p.fetch_s->mean,
              p.step_s.mean, 1e-12);
  EXPECT_NEAR(p.samples_per_s.mean, 8 * 32 / p.step_s.mean, 1e-9);
  // ceil(1,281,167 / 256) = 5,005 steps an epoch.
  EXPECT_NEAR(p.epoch_s->mean, 5005 * p.step_s.mean, 1e-6);
  // Two machines at 12.24 USD an hour.
  EXPECT_NEAR(p.epoch_usd->mean, 2 * 12.24 / 3600 * p.epoch_s->mean, 1e-6);
}

TEST(TrainingPrediction, IntervalsHoldTheirMeans) {
  const TrainingPrediction p = Predict(Plan("bert_base", "p3.16xlarge", 2));
  for (const Estimate& e : {p.step_s, p.samples_per_s, p.compute_s, p.interconnect_s, p.network_s}) {
    EXPECT_LE(e.low, e.mean);
    EXPECT_GE(e.high, e.mean);
    EXPECT_LT(e.low, e.high);
  }
}

TEST(TrainingPrediction, OneMachineHasNoNetworkStallAndNoDataNoPrep) {
  const TrainingPrediction p = Predict(Plan("resnet50", "p3.16xlarge", 1));
  EXPECT_DOUBLE_EQ(p.network_s.mean, 0);
  EXPECT_FALSE(p.prep_s || p.fetch_s || p.epoch_s);
}

TEST(TrainingPrediction, TenGigabitBetweenSmallMachinesIsSeveralTimesSlowerThanOneBigMachineForVgg11) {
  const double two = Predict(Plan("vgg11", "p3.8xlarge", 2)).step_s.mean;
  const double one = Predict(Plan("vgg11", "p3.16xlarge", 1)).step_s.mean;
  EXPECT_GT(two, 2 * one) << two << " s against " << one << " s";
}

TEST(TrainingPrediction, AnImpossibleBatchIsRefused) {
  TrainingPlan plan = Plan("resnet50", "p3.2xlarge", 1);
  plan.batch = 4096;
  EXPECT_THROW(Predict(plan), Error);
}

}  // namespace
}  // namespace stallscope
