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

}  // namespace
}  // namespace stallscope
