#include "stallscope/recommend/calibrate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stallscope {
namespace {

Configuration Predicted(std::size_t machine, int nodes, double step_s) {
  Configuration c{.machine = machine, .nodes = nodes, .devices = 4 * nodes, .batch = 32};
  c.step_s = LogNormal(step_s, 0.2);
  c.parts.compute_s = step_s;
  return c;
}

KnownRun Timed(std::size_t machine, int nodes, double step_s) {
  return {.machine = machine,
          .nodes = nodes,
          .devices = 4 * nodes,
          .batch = 32,
          .step_s = LogNormal(step_s, 0.01),
          .from = "profile.json"};
}

TEST(Calibrate, ARunReplacesThePredictionOfTheSameMachinesAsItIs) {
  std::vector<Configuration> all = {Predicted(0, 1, 1.0)};
  std::vector<std::string> origins = {""};
  Calibrate({Timed(0, 1, 1.3)}, all, origins);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].basis, StepBasis::kMeasured);
  EXPECT_DOUBLE_EQ(all[0].step_s.mean, 1.3);
  EXPECT_EQ(origins[all[0].origin], "profile.json");
}

TEST(Calibrate, NeighboursMoveTowardsTheRunAndBecomeMoreCertainAndFarOnesLessSo) {
  std::vector<Configuration> all = {Predicted(0, 1, 1.0), Predicted(0, 2, 2.0), Predicted(0, 16, 2.5)};
  std::vector<std::string> origins = {""};
  Calibrate({Timed(0, 1, 1.3)}, all, origins);
  const double near = all[1].step_s.mean / 2.0;
  const double far = all[2].step_s.mean / 2.5;
  EXPECT_GT(near, far);
  EXPECT_GT(far, 1);
  // Correlation 0.95 x 0.9; the run tells 0.04 / (0.04 + 0.0001) of it: 1.3^(0.855 x 0.9975).
  EXPECT_NEAR(near, std::pow(1.3, 0.855 * 0.9975), 1e-3);
  EXPECT_LT(LogSpread(all[1].step_s), LogSpread(all[2].step_s));
  EXPECT_LT(LogSpread(all[2].step_s), 0.2);
  EXPECT_EQ(all[1].basis, StepBasis::kCalibrated);
  EXPECT_NEAR(*all[1].parts.compute_s, all[1].step_s.mean, 1e-12) << "parts still make the step";
}

TEST(Calibrate, OtherMachinesStayAsPredicted) {
  std::vector<Configuration> all = {Predicted(0, 1, 1.0), Predicted(1, 1, 1.0)};
  std::vector<std::string> origins = {""};
  Calibrate({Timed(0, 1, 1.3)}, all, origins);
  EXPECT_EQ(all[1].basis, StepBasis::kPredicted);
  EXPECT_DOUBLE_EQ(all[1].step_s.mean, 1.0);
}

TEST(Calibrate, ARunThatNobodyCouldPredictIsAConfiguration) {
  std::vector<Configuration> all;
  std::vector<std::string> origins;
  Calibrate({Timed(3, 2, 0.7)}, all, origins);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].machine, 3U);
  EXPECT_EQ(all[0].basis, StepBasis::kMeasured);
}

TEST(Calibrate, OfSeveralRunsOfOneKindTheFirstCounts) {
  std::vector<Configuration> all = {Predicted(0, 1, 1.0)};
  std::vector<std::string> origins = {""};
  Calibrate({Timed(0, 1, 1.3), Timed(0, 1, 2.6)}, all, origins);
  EXPECT_DOUBLE_EQ(all[0].step_s.mean, 1.3);
}

}  // namespace
}  // namespace stallscope
