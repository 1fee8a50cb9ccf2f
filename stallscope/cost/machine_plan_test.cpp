#include "stallscope/cost/machine_plan.h"

#include <gtest/gtest.h>

#include "stallscope/base/error.h"
#include "stallscope/cost/topology_shapes.h"

namespace stallscope::cost {
namespace {

using namespace std::chrono_literals;

const Link kPcie{.latency = 2us, .bandwidth = {12e9}};
const Network kTenGigabit{.interface = {.latency = 25us, .bandwidth = GigabitsPerSecond(10)}};

PcieTree Tree(int gpus, int gpus_per_switch, int nics = 1) {
  return {.gpus = gpus,
          .gpus_per_switch = gpus_per_switch,
          .nics = nics,
          .gpu = kPcie,
          .uplink = kPcie,
          .socket = kPcie,
          .nic = kPcie};
}

TEST(MachinePlan, CopiesToTheHostShareTheSwitchesUplink) {
  const MachinePlan plan = PlanMachine(MakePcieTree(Tree(8, 4)));
  // 4 GPUs behind each uplink of 12 GB/s: 3 GB/s each, 2 wires of 2 us away.
  EXPECT_DOUBLE_EQ(plan.host->bandwidth.value, 3e9);
  EXPECT_EQ(plan.host->latency, Seconds(4us));
}

TEST(MachinePlan, AllGpusTogetherHaveWhatTheInterfacesGive) {
  const MachinePlan one = PlanMachine(MakePcieTree(Tree(4, 2)), kTenGigabit);
  EXPECT_DOUBLE_EQ(one.cross->bandwidth.value, 1.25e9);
  // At the NIC's switch 4 + 25 + 4 us, at the other 8 + 25 + 8 us.
  EXPECT_NEAR(one.cross->latency.count(), 33e-6, 1e-15);
  EXPECT_NEAR(one.farthest_latency.count(), 41e-6, 1e-15);
  // A NIC at each switch: twice as much, and no GPU is far.
  const MachinePlan two = PlanMachine(MakePcieTree(Tree(4, 2, 2)), kTenGigabit);
  EXPECT_DOUBLE_EQ(two.cross->bandwidth.value, 2.5e9);
  EXPECT_EQ(two.farthest_latency, two.cross->latency);
}

TEST(MachinePlan, APcieWireMayLimitAFastInterface) {
  const Network fast{.interface = {.latency = 3us, .bandwidth = GigabitsPerSecond(200)}};
  // Both GPUs reach the NIC over its one PCIe wire of 12 GB/s.
  const MachinePlan plan = PlanMachine(MakePcieTree(Tree(2, 2)), fast);
  EXPECT_DOUBLE_EQ(plan.cross->bandwidth.value, 12e9);
  EXPECT_DOUBLE_EQ(plan.across->bandwidth.value, 12e9);
}

TEST(MachinePlan, TcpFlowsOfSeveralGpusAddUp) {
  const Network tcp{.interface = {.latency = 25us, .bandwidth = GigabitsPerSecond(25)},
                    .flow_limit = GigabitsPerSecond(5)};
  const MachinePlan plan = PlanMachine(MakePcieTree(Tree(4, 4)), tcp);
  // One ring, one flow: 5 Gbit/s. Four GPUs, four flows: 20 Gbit/s.
  EXPECT_DOUBLE_EQ(plan.across->bandwidth.value, 0.625e9);
  EXPECT_DOUBLE_EQ(plan.cross->bandwidth.value, 2.5e9);
}

TEST(Hierarchical, AddsTheInterfacesTimeToTheRingInside) {
  const MachinePlan plan = PlanMachine(MakePcieTree(Tree(4, 4)), kTenGigabit);
  // Inside: 6 steps of 4 us, 2*3/4 * 120 MB / 12 GB/s = 15 ms.
  const double inside_s = 24e-6 + 15e-3;
  // Across 2 machines: 2 steps of 33 us and 60 MB / 1.25 GB/s = 48 ms.
  const double cross_s = 2 * (33e-6 + 48e-3);
  EXPECT_NEAR(HierarchicalAllReduceTime({120e6}, plan, 2).count(), inside_s + cross_s, 1e-9);
}

TEST(Hierarchical, PiecesHideTheFasterPartBehindTheSlower) {
  const MachinePlan plan = PlanMachine(MakePcieTree(Tree(4, 4)), kTenGigabit);
  // 4 pieces of 30 MB: inside 24 us + 3.75 ms, across 2 * (33 us + 12 ms); one piece inside, four across.
  const double inside_s = 24e-6 + 3.75e-3;
  const double cross_s = 2 * (33e-6 + 12e-3);
  EXPECT_NEAR(HierarchicalAllReduceTime({120e6}, plan, 2, 4).count(), inside_s + 4 * cross_s, 1e-9);
}

TEST(Hierarchical, BeatsTheFlatRingWhereOneInterfaceServesManyGpus) {
  // Flat: 2*15/16 payloads pass the interface; hierarchical: 2*1/2 and a ring inside at ten times the speed.
  const MachinePlan plan = PlanMachine(MakePcieTree(Tree(8, 4)), kTenGigabit);
  EXPECT_LT(HierarchicalAllReduceTime({100e6}, plan, 2), FlatAllReduceTime({100e6}, plan, 2));
}

TEST(Tree, AcrossMachinesWithOneGpuItIsTheDoubleTree) {
  const MachinePlan plan = PlanMachine(MakePcieTree(Tree(1, 0)), kTenGigabit);
  const double plain_s = DoubleTreeAllReduceTime({1e6}, 8, *plan.cross).count();
  EXPECT_NEAR(TreeAllReduceTime({1e6}, plan, 8).count(), plain_s, 1e-12);
}

TEST(Tree, InsideAMachineItIsAChainUpAndDown) {
  const MachinePlan plan = PlanMachine(MakePcieTree(Tree(4, 4)));
  // 3 hops of 4 us up and down; the first 2 * 0.1 MB pass 6 hops at 12 GB/s: 100 us; 2 payloads of the other
  // 1 MB: 166.7 us.
  EXPECT_NEAR(TreeAllReduceTime({1.2e6}, plan, 1, {1e5}).count(), 24e-6 + 100e-6 + 2e6 / 12e9, 1e-12);
}

TEST(Fastest, IsTheTreeForSmallAndTheRingForLargePayloads) {
  const MachinePlan plan = PlanMachine(MakePcieTree(Tree(4, 2)), kTenGigabit);
  const Choice small = FastestAllReduce({4e3}, plan, 16);
  EXPECT_EQ(small.algorithm, Algorithm::kTree);
  EXPECT_EQ(small.time, TreeAllReduceTime({4e3}, plan, 16));
  const Choice large = FastestAllReduce({1e9}, plan, 16);
  EXPECT_EQ(large.algorithm, Algorithm::kRing);
  EXPECT_EQ(large.time, FlatAllReduceTime({1e9}, plan, 16));
}

TEST(MachinePlan, WithoutAnInterfaceMachinesStayAlone) {
  const MachinePlan plan = PlanMachine(MakePcieTree(Tree(4, 2, 0)));
  EXPECT_FALSE(plan.across);
  EXPECT_GT(FlatAllReduceTime({1e6}, plan, 1).count(), 0);
  EXPECT_THROW(FlatAllReduceTime({1e6}, plan, 2), Error);
  EXPECT_THROW(HierarchicalAllReduceTime({1e6}, plan, 2), Error);
  EXPECT_THROW(TreeAllReduceTime({1e6}, plan, 2), Error);
}

}  // namespace
}  // namespace stallscope::cost
