#include "stallscope/predict/profiled_workload.h"

#include <gtest/gtest.h>

#include "stallscope/base/error.h"
#include "stallscope/predict/gpu_names.h"

namespace stallscope {
namespace {

const Catalog& Facts() {
  static const Catalog catalog = Catalog::Load();
  return catalog;
}

/// 100 ms alone, known to 2 %; gradients ready at 40, 70 and 100 % of what a synchronised step computes.
Profile Measured(const char* model) {
  Profile profile;
  profile.workload.model = model;
  profile.workload.gradient_bytes = 60'000'000;
  profile.workload.batch_per_device = 32;
  profile.workload.accumulate = 2;
  profile.workload.dtype = "float32";
  profile.workload.loader_workers = 4;
  profile.workload.dataset = DatasetInfo{"/data", "program", 1000, 110'000'000};
  profile.cluster.device = "cuda";
  profile.conditions["solo"].step_time_s = {0.1, 0.098, 0.102};
  profile.conditions["node"].buckets = {
      {10'000'000, 0.05, 0, 0, 0}, {20'000'000, 0.0875, 0, 0, 0}, {30'000'000, 0.125, 0, 0, 0}};
  profile.loader = LoaderInfo{0.001, 0.004, 110e3};
  return profile;
}

TEST(ProfiledWorkload, ThePlanIsWhatWasMeasured) {
  const TrainingPlan plan = PlanFromProfile(Measured("train.py"), "p.json");
  EXPECT_EQ(plan.batch, 64);  // two micro-batches
  EXPECT_EQ(plan.precision, "fp32");
  EXPECT_EQ(plan.workers, 4);
  EXPECT_DOUBLE_EQ(plan.data->sample_bytes.value, 110e3);
  EXPECT_FALSE(plan.data->cached_share);
  EXPECT_DOUBLE_EQ(plan.measured->compute.seconds, 0.1);
  // 2 % at 1.96 deviations.
  EXPECT_NEAR(plan.measured->compute.log_sd, 0.02 / 1.96, 1e-9);
}

TEST(ProfiledWorkload, BucketsAreReadyAsTheyWereMeasured) {
  const std::vector<cost::GradientBucket> buckets = BucketsOf(Measured("train.py"));
  ASSERT_EQ(buckets.size(), 3U);
  // A third of a step is the forward pass: (0.4 - 1/3) / (2/3) = 0.1, (0.7 - 1/3) / (2/3) = 0.55.
  EXPECT_NEAR(buckets[0].ready, 0.1, 1e-9);
  EXPECT_NEAR(buckets[1].ready, 0.55, 1e-9);
  EXPECT_NEAR(buckets[2].ready, 1, 1e-9);
  EXPECT_DOUBLE_EQ(buckets[2].size.value, 30e6);
}

TEST(ProfiledWorkload, WithoutASynchronisedRungGradientsComeEvenly) {
  Profile profile = Measured("train.py");
  profile.conditions.erase("node");
  const std::vector<cost::GradientBucket> buckets = BucketsOf(profile);
  // 60 MB are three buckets of at most 26.2 MB.
  ASSERT_EQ(buckets.size(), 3U);
  EXPECT_NEAR(buckets[0].ready, 1.0 / 3, 1e-9);
  EXPECT_DOUBLE_EQ(buckets[0].size.value, 20e6);
}

TEST(ProfiledWorkload, OnTheSameChipTheTimeStays) {
  const Profile profile = Measured("train.py");
  const ComputeEstimate measured = PlanFromProfile(profile, "p.json").measured->compute;
  const ScaledCompute same = ScaleCompute(profile, measured, Facts().FindGpu("V100-SXM2-16GB"),
                                          SpeedOf(Facts().FindGpu("V100-SXM2-32GB")), Facts());
  EXPECT_TRUE(same.as_measured);
  EXPECT_STREQ(BasisName(same.estimate.basis), "measured on this GPU");
  EXPECT_DOUBLE_EQ(same.estimate.seconds, 0.1);
}

TEST(ProfiledWorkload, AProgramOfUnknownLayersScalesBetweenArithmeticAndMemory) {
  const Profile profile = Measured("train.py");
  const ComputeEstimate measured = PlanFromProfile(profile, "p.json").measured->compute;
  const GpuSpeed v100 = SpeedOf(Facts().FindGpu("V100-SXM2-16GB"));
  const GpuSpeed t4 = SpeedOf(Facts().FindGpu("T4"));
  const ComputeEstimate scaled =
      ScaleCompute(profile, measured, Facts().FindGpu("V100-SXM2-16GB"), t4, Facts()).estimate;
  const double by_arithmetic = 0.1 * v100.fp32 / t4.fp32;
  const double by_memory = 0.1 * v100.memory_bandwidth / t4.memory_bandwidth;
  EXPECT_EQ(scaled.basis, ComputeBasis::kOtherGpu);
  EXPECT_NEAR(scaled.seconds, std::sqrt(by_arithmetic * by_memory), 1e-9);
  EXPECT_LT(scaled.low, std::min(by_arithmetic, by_memory));
  EXPECT_GT(scaled.high, std::max(by_arithmetic, by_memory));
}

TEST(ProfiledWorkload, ANetworkOfTheZooKeepsHowFarItIsFromPublishedRates) {
  Profile profile = Measured("resnet50");
  const Gpu& v100 = Facts().FindGpu("V100-SXM2-16GB");
  const GpuSpeed t4 = SpeedOf(Facts().FindGpu("T4"));
  const auto scaled = [&](double seconds) {
    profile.conditions["solo"].step_time_s = {seconds, 0.98 * seconds, 1.02 * seconds};
    const ComputeEstimate measured = PlanFromProfile(profile, "p.json").measured->compute;
    return ScaleCompute(profile, measured, v100, t4, Facts()).estimate;
  };
  // Twice as slow here is twice as slow there, and less sure: what is beyond the published may not scale.
  EXPECT_NEAR(scaled(0.4).seconds, 2 * scaled(0.2).seconds, 1e-9);
  EXPECT_GT(scaled(0.8).log_sd, scaled(0.2).log_sd);
  EXPECT_GT(scaled(0.2).seconds, 0.2);
}

TEST(ProfiledWorkload, TheMeasuredLoaderTakesThePlaceOfTheFittedOne) {
  const ScalingParameters parameters = WithMeasuredLoader(ShippedParameters(), Measured("train.py"));
  const auto index = static_cast<std::size_t>(Parameter::kPreparedPerCpu);
  // 1 ms to read and 4 ms to decode: 200 a second.
  EXPECT_NEAR(ToUnit(AllParameters()[index], parameters.values[index]), 200, 1e-9);
}

TEST(ProfiledWorkload, WithoutARungAloneThereIsNothingToStartFrom) {
  Profile profile = Measured("train.py");
  profile.conditions.erase("solo");
  EXPECT_THROW(PlanFromProfile(profile, "p.json"), Error);
}

}  // namespace
}  // namespace stallscope
