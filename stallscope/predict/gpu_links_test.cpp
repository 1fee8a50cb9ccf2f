#include "stallscope/predict/gpu_links.h"

#include <gtest/gtest.h>

#include "stallscope/predict/gpu_names.h"

namespace stallscope {
namespace {

const Catalog& Shipped() {
  static const Catalog catalog = Catalog::Load();
  return catalog;
}

InsideChoice Choose(const char* interconnect, const char* gpu, int gpus, const char* machine = "") {
  const auto resolved = ResolveGpu(Shipped(), gpu);
  return InsideLinkOf(
      {interconnect, resolved ? resolved->gpu : nullptr, Shipped().MachineOrNull(machine), gpus});
}

double WiresOf(const char* interconnect, const char* gpu, int gpus) {
  return Choose(interconnect, gpu, gpus).link.wires.value;
}

InsideKind KindOf(const char* interconnect, const char* gpu, int gpus) {
  return Choose(interconnect, gpu, gpus).link.kind;
}

TEST(GpuLinks, AHybridCubeHasTwoLinksToANeighbourFourWithinItsHalfAndSixInAll) {
  // 25 GB/s a link, one direction.
  EXPECT_DOUBLE_EQ(WiresOf("nvlink2-hybrid-cube", "V100-SXM2-16GB", 2), 50e9);
  EXPECT_DOUBLE_EQ(WiresOf("nvlink2-hybrid-cube", "V100-SXM2-16GB", 4), 100e9);
  EXPECT_DOUBLE_EQ(WiresOf("nvlink2-hybrid-cube", "V100-SXM2-16GB", 8), 150e9);
  // The first generation has four links of 20 GB/s.
  EXPECT_DOUBLE_EQ(WiresOf("nvlink1-hybrid-cube", "P100-SXM2-16GB", 8), 80e9);
}

TEST(GpuLinks, ASlicedBoardIsSlowerThanAWholeOne) {
  EXPECT_LT(WiresOf("nvlink2-sliced", "V100-SXM2-16GB", 4),
            WiresOf("nvlink2-hybrid-cube", "V100-SXM2-16GB", 4));
}

TEST(GpuLinks, ASwitchGivesEveryNumberOfGpusAllLinks) {
  EXPECT_DOUBLE_EQ(WiresOf("nvswitch", "H100-SXM5-80GB", 2), 450e9);
  EXPECT_DOUBLE_EQ(WiresOf("nvswitch", "A100-SXM4-40GB", 8), 300e9);
}

TEST(GpuLinks, ABridgeJoinsTwoAndMoreCrossPcie) {
  EXPECT_DOUBLE_EQ(WiresOf("nvlink-bridge-pairs", "RTX-A6000", 2), 56.25e9);
  EXPECT_EQ(KindOf("nvlink-bridge-pairs", "RTX-A6000", 4), InsideKind::kPcie);
}

TEST(GpuLinks, ABlankColumnIsDecidedFromTheGpuAndSaysSo) {
  EXPECT_EQ(KindOf("", "V100-SXM2-16GB", 4), InsideKind::kNvlink);
  EXPECT_EQ(KindOf("", "RTX-A4000", 4), InsideKind::kPcie);
  EXPECT_EQ(KindOf("", "RTX-A6000", 2), InsideKind::kBridgeOrPcie);
  EXPECT_EQ(KindOf("", "RTX-4090", 2), InsideKind::kHostStaged);
  EXPECT_TRUE(Choose("", "V100-SXM2-16GB", 4).assumed);
  EXPECT_FALSE(Choose("pcie", "K80", 4).assumed);
}

TEST(GpuLinks, AGpuThatNobodyDescribedIsInASlotOfTheThirdGeneration) {
  const InsideChoice choice = Choose("", "FutureGPU", 4);
  EXPECT_EQ(choice.link.kind, InsideKind::kPcie);
  EXPECT_DOUBLE_EQ(choice.link.pcie.value, 15.75e9);
  EXPECT_TRUE(choice.assumed);
}

TEST(GpuLinks, OneGpuNeedsNoLinkAndAssumesNothing) {
  EXPECT_EQ(KindOf("", "RTX-A6000", 1), InsideKind::kNone);
  EXPECT_FALSE(Choose("", "FutureGPU", 1).assumed);
}

TEST(GpuLinks, AMachineOfTheCatalogKnowsItsOwnInside) {
  // p3.8xlarge is half a board; g4dn's GPUs run at eight lanes.
  EXPECT_DOUBLE_EQ(Choose("", "V100-SXM2-16GB", 4, "p3.8xlarge").link.wires.value, 75e9);
  EXPECT_DOUBLE_EQ(Choose("", "V100-SXM2-16GB", 8, "p3.16xlarge").link.wires.value, 150e9);
  EXPECT_DOUBLE_EQ(Choose("", "T4", 4, "g4dn.12xlarge").link.pcie.value, 7.875e9);
  EXPECT_FALSE(Choose("", "T4", 4, "g4dn.12xlarge").assumed);
}

TEST(GpuLinks, TwoGpusOfABoardShareItsSlot) {
  EXPECT_DOUBLE_EQ(Choose("pcie", "K80", 4).link.pcie.value, 15.75e9 / 2);
}

TEST(GpuLinks, EveryGenerationOfPcieDoubles) {
  EXPECT_DOUBLE_EQ(PcieRate(3).value, 15.75e9);
  EXPECT_DOUBLE_EQ(PcieRate(5).value, 63e9);
}

}  // namespace
}  // namespace stallscope
