#include "stallscope/predict/gpu_speed.h"

#include <gtest/gtest.h>

#include "stallscope/base/error.h"
#include "stallscope/predict/gpu_names.h"

namespace stallscope {
namespace {

GpuSpeed Speed(const char* name) {
  return SpeedOf(Catalog::Load().FindGpu(name));
}

TEST(GpuSpeed, TensorRatesAreThoseThatWereMeasuredOrAShareOfThePeak) {
  // 271.2 of 312 TFLOP/s were measured on an A100; 0.85 of 125 stand in for a V100.
  EXPECT_NEAR(Speed("A100-SXM4-80GB").tensor, 271.2e12, 1e9);
  EXPECT_NEAR(Speed("A100-SXM4-80GB").tf32, 156e12 * 271.2 / 312, 1e9);
  EXPECT_NEAR(Speed("V100-SXM2-16GB").tensor, 0.85 * 125e12, 1e9);
}

TEST(GpuSpeed, GeforceCardsSumAtHalfTheRate) {
  const GpuSpeed card = Speed("RTX-3090");
  EXPECT_TRUE(card.halved_tensor);
  EXPECT_NEAR(card.tensor, 0.85 * 142e12 / 2, 1e9);
  EXPECT_NEAR(card.tf32, card.tensor / 2, 1e9);
  EXPECT_FALSE(Speed("RTX-A6000").halved_tensor);
}

TEST(GpuSpeed, OldGpusComputeEverythingInFp32) {
  const GpuSpeed k80 = Speed("K80");
  EXPECT_DOUBLE_EQ(k80.fp32, 2.8e12);  // the base clock, which it sustains
  EXPECT_DOUBLE_EQ(PeakRate(k80, Dtype::kAmp), 2.8e12);
  EXPECT_EQ(EffectiveDtype(Speed("V100-SXM2-16GB"), Dtype::kTf32), Dtype::kFp32);
  EXPECT_EQ(EffectiveDtype(Speed("RTX-3090"), Dtype::kTf32), Dtype::kTf32);
}

TEST(GpuSpeed, AnUnknownRateIsAnErrorAndNotZero) {
  EXPECT_THROW(SpeedOf(Gpu{.name = "H100-NVL-94GB"}), Error);
}

TEST(GpuSpeed, EveryGpuOfTheCatalogWithARateHasAnArchitecture) {
  const Catalog catalog = Catalog::Load();
  for (const Gpu& gpu : catalog.gpus()) {
    if (!gpu.fp32 || gpu.name == "Trainium2") continue;
    EXPECT_NE(ArchitectureOf(gpu.name), "") << gpu.name;
  }
}

TEST(GpuNames, WordsOfTablesFindTheBoard) {
  const Catalog catalog = Catalog::Load();
  const auto name = [&](const char* text) { return ResolveGpu(catalog, text)->gpu->name; };
  EXPECT_EQ(name("RTX 3090"), "RTX-3090");
  EXPECT_EQ(name("NVIDIA Tesla V100-SXM2-32GB"), "V100-SXM2-32GB");
  EXPECT_EQ(name("Pascal"), "P100-PCIE-16GB");
  EXPECT_EQ(name("h100"), "H100-SXM5-80GB");
  EXPECT_TRUE(ResolveGpu(catalog, "V100")->assumed);
  EXPECT_FALSE(ResolveGpu(catalog, "V100-SXM2-16GB")->assumed);
  EXPECT_FALSE(ResolveGpu(catalog, "abacus").has_value());
}

TEST(Dtype, BothHalvesAreAmp) {
  EXPECT_EQ(ParseDtype("fp16"), Dtype::kAmp);
  EXPECT_EQ(ParseDtype("bf16"), Dtype::kAmp);
  EXPECT_EQ(DtypeName(ParseDtype("tf32")), "tf32");
  EXPECT_THROW(ParseDtype("int8"), UsageError);
}

}  // namespace
}  // namespace stallscope
