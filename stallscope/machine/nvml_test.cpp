#include "stallscope/machine/nvml.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace stallscope {
namespace {

/// The fake library (tests/fakes/fake_nvml.cpp) reads this in every call.
class NvmlTest : public testing::Test {
 protected:
  void FailAt(const char* call) { setenv("FAKE_NVML_FAILS", call, 1); }
  void TearDown() override { unsetenv("FAKE_NVML_FAILS"); }
};

TEST_F(NvmlTest, BusyIsTheMeanOverGpusAndMemoryTheirSum) {
  const Nvml nvml(FAKE_NVML);
  EXPECT_EQ(nvml.DeviceCount(), 2);
  // 90 % and 40 %; 6 GB and 2 GB.
  EXPECT_DOUBLE_EQ(nvml.Read().busy_share.value(), 0.65);
  EXPECT_EQ(nvml.Read().memory_bytes, 8e9);
}

TEST_F(NvmlTest, WithoutADriverThereAreNoNumbers) {
  const Nvml nvml("libno-such-library.so.1");
  EXPECT_EQ(nvml.DeviceCount(), 0);
  EXPECT_FALSE(nvml.Read().busy_share);
  EXPECT_FALSE(nvml.Read().memory_bytes);
}

TEST_F(NvmlTest, ALibraryWithoutTheCallsIsNone) {
  EXPECT_EQ(Nvml("libm.so.6").DeviceCount(), 0);
}

TEST_F(NvmlTest, ADriverThatRefusesMeansNoGpus) {
  for (const char* call : {"init", "count", "handle"}) {
    FailAt(call);
    const Nvml nvml(FAKE_NVML);
    EXPECT_EQ(nvml.DeviceCount(), 0) << call;
    EXPECT_FALSE(nvml.Read().busy_share) << call;
    EXPECT_FALSE(nvml.Read().memory_bytes) << call;
  }
}

TEST_F(NvmlTest, ANumberThatOneGpuWithholdsIsAbsentAndTheOtherStays) {
  const Nvml nvml(FAKE_NVML);
  FailAt("utilization");
  EXPECT_FALSE(nvml.Read().busy_share);
  EXPECT_EQ(nvml.Read().memory_bytes, 8e9);
  FailAt("memory");
  EXPECT_DOUBLE_EQ(nvml.Read().busy_share.value(), 0.65);
  EXPECT_FALSE(nvml.Read().memory_bytes);
}

TEST_F(NvmlTest, TheDriverSaysWhatTheGpusAreAndWhomTheyAreLinkedTo) {
  const std::vector<GpuFacts> gpus = Nvml(FAKE_NVML).Facts();
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0].name, "Imaginary A100");
  EXPECT_EQ(gpus[0].memory_bytes, 16'000'000'000);
  EXPECT_EQ(gpus[0].address, "0000:3b:00.0");
  EXPECT_EQ(gpus[1].pcie_width, 8);
  EXPECT_EQ(gpus[1].pcie_width_possible, 16);
  EXPECT_EQ(gpus[1].pcie_generation, 1);
  EXPECT_EQ(gpus[1].pcie_generation_possible, 4);
  // Links 4 to 17 do not exist; link 2 is off and leads nowhere.
  ASSERT_EQ(gpus[0].nvlinks.size(), 4U);
  EXPECT_EQ(gpus[0].nvlinks[0].peer, gpus[1].address);
  EXPECT_FALSE(gpus[0].nvlinks[2].active);
  EXPECT_FALSE(gpus[0].nvlinks[2].peer);
  EXPECT_EQ(gpus[0].nvlinks[3].peer, "0000:c1:00.0");
}

TEST_F(NvmlTest, AFactThatTheDriverWithholdsIsAbsentAndTheOthersStay) {
  const Nvml nvml(FAKE_NVML);
  FailAt("name");
  EXPECT_FALSE(nvml.Facts()[0].name);
  EXPECT_EQ(nvml.Facts()[0].pcie_width, 16);
  FailAt("pcie");
  EXPECT_FALSE(nvml.Facts()[0].pcie_width);
  EXPECT_EQ(nvml.Facts()[0].pcie_width_possible, 16);
  FailAt("pci");
  EXPECT_FALSE(nvml.Facts()[0].address);
  FailAt("nvlink");
  EXPECT_TRUE(nvml.Facts()[0].nvlinks.empty());
  FailAt("peer");
  EXPECT_TRUE(nvml.Facts()[0].nvlinks[0].active);
  EXPECT_FALSE(nvml.Facts()[0].nvlinks[0].peer);
}

}  // namespace
}  // namespace stallscope
