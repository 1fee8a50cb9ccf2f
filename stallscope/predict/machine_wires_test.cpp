#include "stallscope/predict/machine_wires.h"

#include <gtest/gtest.h>

#include "stallscope/catalog/catalog.h"

namespace stallscope {
namespace {

MachineTopology TopologyOfMachine(const char* name) {
  const Catalog catalog = Catalog::Load();
  return catalog.TopologyOf(catalog.FindMachine(name)).value();
}

TEST(MachineWires, KeepPartsInTheirOrder) {
  const MachineTopology machine = TopologyOfMachine("p3.16xlarge");
  const std::optional<cost::Topology> wires = WiresOf(machine);
  ASSERT_TRUE(wires);
  EXPECT_EQ(wires->parts.size(), machine.nodes.size());
  EXPECT_EQ(wires->wires.size(), machine.edges.size());
  EXPECT_EQ(wires->All(cost::Part::kGpu).size(), 8U);
}

TEST(MachineWires, AWireWithoutARateIsNotInvented) {
  MachineTopology machine = TopologyOfMachine("p3.16xlarge");
  machine.edges.front().one_way.reset();
  EXPECT_FALSE(WiresOf(machine));
  EXPECT_FALSE(PlannedInside(machine, 8));
}

TEST(MachineWires, RingsOfTheHybridCubeUseAllSixLinks) {
  const std::optional<InsideLink> link = PlannedInside(TopologyOfMachine("p3.16xlarge"), 8);
  ASSERT_TRUE(link);
  EXPECT_EQ(link->kind, InsideKind::kNvlink);
  // Six links of 25 GB/s.
  EXPECT_NEAR(link->wires.value, 150e9, 1e9);
}

TEST(MachineWires, ATreeOfPcieSwitchesHasOneRingAtTheRateOfASlot) {
  const MachineTopology machine = TopologyOfMachine("p2.8xlarge");
  const std::optional<InsideLink> link = PlannedInside(machine, 8);
  ASSERT_TRUE(link);
  EXPECT_EQ(link->kind, InsideKind::kPcie);
  // No wider than a slot of generation 3, no narrower than a quarter of it.
  EXPECT_LE(link->pcie.value, 15.76e9);
  EXPECT_GE(link->pcie.value, 15.75e9 / 4);
}

TEST(MachineWires, OneGpuHasNoRing) {
  EXPECT_FALSE(PlannedInside(TopologyOfMachine("p3.16xlarge"), 1));
  EXPECT_FALSE(PlannedInside(TopologyOfMachine("p3.16xlarge"), 9));
}

}  // namespace
}  // namespace stallscope
