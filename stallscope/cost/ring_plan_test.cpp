#include "stallscope/cost/ring_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "stallscope/base/error.h"
#include "stallscope/cost/routes.h"
#include "stallscope/cost/topology_shapes.h"

namespace stallscope::cost {
namespace {

using namespace std::chrono_literals;

const Link kPcie{.latency = 2us, .bandwidth = {12e9}};
const Link kSocket{.latency = 3us, .bandwidth = {8e9}};
const Link kNvlink{.latency = 1us, .bandwidth = {25e9}};

PcieTree Tree(int gpus, int gpus_per_switch, int sockets = 1, int nics = 1) {
  return {.gpus = gpus,
          .gpus_per_switch = gpus_per_switch,
          .sockets = sockets,
          .nics = nics,
          .gpu = kPcie,
          .uplink = kPcie,
          .socket = kSocket,
          .nic = kPcie};
}

void ExpectEachGpuOnce(const RingPlan& plan) {
  for (const Ring& ring : plan.rings) {
    std::vector<int> sorted = ring.gpus;
    std::sort(sorted.begin(), sorted.end());
    std::vector<int> all(plan.gpus);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(sorted, all);
  }
}

TEST(Routes, TakeTheWidestWayThenTheShortest) {
  const Topology machine = MakeNvlinkMesh(Tree(4, 2), NvlinkPairs(4, 1), kNvlink);
  EXPECT_EQ(RouteBetween(machine, 0, 1).ways.size(), 1u);  // NVLink, not the switch
  EXPECT_EQ(RouteBetween(machine, 0, 2).ways.size(), 4u);  // switch, host, switch
  EXPECT_NEAR(RouteBetween(machine, 0, 2).latency.count(), 8e-6, 1e-15);
  EXPECT_DOUBLE_EQ(RouteBetween(machine, 0, 1).width.value, 25e9);
  // Without peer access: up to the host and down again, though one NVLink connects them.
  EXPECT_EQ(GpuRoute(machine, 0, 1, PeerAccess::kOff).ways.size(), 4u);
}

TEST(Routes, NothingPassesThroughAGpu) {
  Topology chain;
  for (int i = 0; i < 3; ++i) chain.Add(Part::kGpu);
  chain.Connect(0, 1, kNvlink);
  chain.Connect(1, 2, kNvlink);
  EXPECT_THROW(RouteBetween(chain, 0, 2), Error);
  EXPECT_THROW(PlanRings(chain), Error);
}

TEST(RingPlan, ATourOfAPcieTreeUsesEveryWireOnceEachWay) {
  const RingPlan plan = PlanRings(MakePcieTree(Tree(8, 4)));
  ASSERT_EQ(plan.rings.size(), 1u);
  ExpectEachGpuOnce(plan);
  EXPECT_DOUBLE_EQ(plan.bandwidth.value, 12e9);
  // 6 hops inside a switch over 2 wires, 2 between the switches over 4: (6*2 + 2*4) * 2 us.
  EXPECT_NEAR(plan.lap_latency.count(), 40e-6, 1e-15);
  // 8 hops, each limited by a wire that only it uses.
  EXPECT_NEAR(plan.lap_s_per_byte, 8 / 12e9, 1e-20);
}

TEST(RingPlan, TheWireBetweenSocketsLimitsTheRing) {
  const RingPlan plan = PlanRings(MakePcieTree(Tree(16, 4, 2)));
  EXPECT_DOUBLE_EQ(plan.bandwidth.value, 8e9);
}

TEST(RingPlan, WithoutPeerAccessTheHostsWiresAreShared) {
  // The four GPUs of a switch all send up through one wire and receive through one: 12 / 4 GB/s.
  const RingPlan plan = PlanRings(MakePcieTree(Tree(8, 4)), PeerAccess::kOff);
  EXPECT_DOUBLE_EQ(plan.bandwidth.value, 3e9);
}

TEST(RingPlan, EveryNvlinkOfAHybridCubeIsUsedBothWays) {
  // V100: six links of 25 GB/s leave every GPU; P100: four of 20 GB/s.
  const RingPlan v100 = PlanRings(MakeNvlinkMesh(Tree(8, 2, 2), HybridCubeV100(), kNvlink));
  EXPECT_DOUBLE_EQ(v100.bandwidth.value, 150e9);
  ExpectEachGpuOnce(v100);
  const RingPlan p100 = PlanRings(MakeNvlinkMesh(Tree(8, 2, 2), HybridCubeP100(), {1us, {20e9}}));
  EXPECT_DOUBLE_EQ(p100.bandwidth.value, 80e9);
  ExpectEachGpuOnce(p100);
}

TEST(RingPlan, HalfAHybridCubeIsLimitedByTheGpuWithFewestLinks) {
  // GPU 0 has 1 + 1 + 2 links inside its half.
  const RingPlan plan = PlanRings(MakeNvlinkMesh(Tree(4, 0), HybridCubeV100(), kNvlink));
  EXPECT_DOUBLE_EQ(plan.bandwidth.value, 100e9);
}

TEST(RingPlan, FiveGpusOfACubeFallBackToPcie) {
  // GPU 4 has one NVLink neighbour among the first five (GPU 0), and a ring needs two.
  const Topology cube = MakeNvlinkMesh(Tree(8, 2, 2), HybridCubeV100(), kNvlink);
  const RingPlan plan = PlanRings(WithFirstGpus(cube, 5));
  // 8 GB/s between the sockets, one ring each way round.
  EXPECT_DOUBLE_EQ(plan.bandwidth.value, 16e9);
}

TEST(RingPlan, AnNvswitchGivesEveryGpuItsWholeWire) {
  const RingPlan plan = PlanRings(MakeNvswitch(Tree(16, 2, 2), {1us, {150e9}}));
  EXPECT_DOUBLE_EQ(plan.bandwidth.value, 150e9);
  EXPECT_NEAR(plan.lap_latency.count(), 16 * 2e-6, 1e-15);
}

TEST(RingPlan, MoreGpusThanTheSearchTakesAreInTheirOrder) {
  const RingPlan plan = PlanRings(MakeNvswitch(Tree(24, 2, 2), {1us, {150e9}}));
  std::vector<int> order(24);
  std::iota(order.begin(), order.end(), 0);
  ASSERT_FALSE(plan.rings.empty());
  EXPECT_EQ(plan.rings[0].gpus, order);
}

TEST(RingPlan, IsTheSameEveryTime) {
  const Topology cube = MakeNvlinkMesh(Tree(8, 2, 2, 4), HybridCubeV100(), kNvlink);
  const RingPlan first = PlanRings(cube);
  const RingPlan second = PlanRings(cube);
  ASSERT_EQ(first.rings.size(), second.rings.size());
  for (std::size_t i = 0; i < first.rings.size(); ++i) EXPECT_EQ(first.rings[i].gpus, second.rings[i].gpus);
}

TEST(RingPlanAcross, OneInterfaceLimitsARingThroughManyMachines) {
  const Network network{.interface = {.latency = 25us, .bandwidth = GigabitsPerSecond(10)}};
  const RingPlan plan = PlanRingsAcross(MakePcieTree(Tree(4, 2)), network);
  EXPECT_DOUBLE_EQ(plan.bandwidth.value, 1.25e9);
  EXPECT_EQ(plan.rings.at(0).nic, 0);
  // GPUs at the NIC's switch are first and last: the hop out takes 4 + 25 + 4 us.
  EXPECT_NEAR(plan.closing_latency.count(), 33e-6, 1e-15);
  // Large payload, 8 ranks: 2*7/8 * 100 MB / 1.25 GB/s = 140 ms, and the slowest hop's latency.
  EXPECT_NEAR(RingAllReduceTime({100e6}, plan, 2).count(), 0.140 + 33e-6, 1e-12);
}

TEST(RingPlanAcross, EveryInterfaceHasItsRing) {
  const Network network{.interface = {.latency = 5us, .bandwidth = GigabitsPerSecond(80)}};
  const RingPlan plan = PlanRingsAcross(MakeNvswitch(Tree(8, 2, 2, 4), {1us, {300e9}}), network);
  EXPECT_EQ(plan.rings.size(), 4u);
  EXPECT_DOUBLE_EQ(plan.bandwidth.value, 40e9);
  ExpectEachGpuOnce(plan);
}

TEST(RingPlanAcross, AFlowsLimitIsTheRingsLimit) {
  const Network tcp{.interface = {.latency = 25us, .bandwidth = GigabitsPerSecond(25)},
                    .flow_limit = GigabitsPerSecond(5)};
  EXPECT_DOUBLE_EQ(PlanRingsAcross(MakePcieTree(Tree(1, 0)), tcp).bandwidth.value, 0.625e9);
}

TEST(RingAllReduceOnAPlan, EqualHopsGiveThePlainFormula) {
  const RingPlan plan = PlanRings(MakeNvswitch(Tree(8, 2), {1us, {300e9}}));
  // 14 steps of 2 us, and 14/8 * 30 MB / 300 GB/s = 175 us.
  EXPECT_NEAR(RingAllReduceTime({30e6}, plan).count(), 28e-6 + 175e-6, 1e-12);
}

TEST(Topology, WhatCannotBeIsRefused) {
  Topology machine;
  machine.Add(Part::kGpu);
  machine.Add(Part::kGpu);
  machine.Connect(0, 2, kPcie);
  EXPECT_THROW(PlanRings(machine), Error);
  machine.wires = {{.a = 0, .b = 1, .link = {.bandwidth = {0}}}};
  EXPECT_THROW(PlanRings(machine), Error);
  EXPECT_THROW(PlanRings(Topology{}), Error);
  EXPECT_THROW(PlanRingsAcross(MakePcieTree(Tree(2, 0, 1, 0)), {}), Error);
  EXPECT_THROW(PlanRingsAcross(MakePcieTree(Tree(2, 0)), {.interface = {.bandwidth = {0}}}), Error);
  EXPECT_THROW(WithFirstGpus(MakePcieTree(Tree(2, 0)), 3), Error);
}

}  // namespace
}  // namespace stallscope::cost
