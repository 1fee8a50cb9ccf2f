// What holds for every payload, rank count and link: tried on random ones.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "stallscope/cost/machine_plan.h"
#include "stallscope/cost/parameter_server.h"
#include "stallscope/cost/topology_shapes.h"

namespace stallscope::cost {
namespace {

double Any(int low, int high, double unit) {
  return unit * *rc::gen::inRange(low, high);
}
Bytes AnyPayload() {
  // Every size from bytes to gigabytes is as likely.
  return {static_cast<double>(1L << *rc::gen::inRange(0, 31)) + *rc::gen::inRange(0, 4096)};
}
Link AnyLink() {
  return {.latency = Seconds(Any(0, 1000, 1e-7)), .bandwidth = {Any(1, 4000, 1e8)}};
}

struct Formula {
  std::string name;
  std::function<Seconds(Bytes, int, const Link&)> time;
};

const std::vector<Formula>& Formulas() {
  static const std::vector<Formula> formulas = {
      {"ring", [](Bytes s, int n, const Link& link) { return RingAllReduceTime(s, n, link); }},
      {"reduce-scatter", RingReduceScatterTime},
      {"all-gather", RingAllGatherTime},
      {"broadcast", [](Bytes s, int n, const Link& link) { return ChainBroadcastTime(s, n, link); }},
      {"binomial tree", BinomialAllReduceTime},
      {"double tree", [](Bytes s, int n, const Link& link) { return DoubleTreeAllReduceTime(s, n, link); }},
      {"host", [](Bytes s, int n, const Link& link) { return HostReduceTime(s, n, link, {1e10}); }},
      {"servers",
       [](Bytes s, int n, const Link& link) {
         return ParameterServerTime(s, {.workers = n, .worker = link, .colocated = true});
       }},
  };
  return formulas;
}

/// A machine of any usual shape with any links; `slower` adds that much latency to every wire.
struct AnyMachine {
  PcieTree tree;
  int shape = 0;
  Link nvlink;
  PeerAccess peer_access = PeerAccess::kOn;
  Network network;

  AnyMachine() {
    tree = {.gpus = *rc::gen::inRange(1, 9),
            .gpus_per_switch = *rc::gen::inRange(0, 5),
            .sockets = *rc::gen::inRange(1, 3),
            .nics = *rc::gen::inRange(1, 4),
            .gpu = AnyLink(),
            .uplink = AnyLink(),
            .socket = AnyLink(),
            .nic = AnyLink()};
    shape = *rc::gen::inRange(0, 4);
    nvlink = AnyLink();
    peer_access = *rc::gen::element(PeerAccess::kOn, PeerAccess::kOff);
    network.interface = AnyLink();
    if (*rc::gen::arbitrary<bool>()) network.flow_limit = {Any(1, 100, 1e8)};
  }

  MachinePlan Plan(Seconds slower = Seconds(0)) const {
    Topology machine = shape == 0   ? MakePcieTree(tree)
                       : shape == 1 ? MakeNvlinkMesh(tree, HybridCubeV100(), nvlink)
                       : shape == 2 ? MakeNvlinkMesh(tree, NvlinkPairs(tree.gpus, 2), nvlink)
                                    : MakeNvswitch(tree, nvlink);
    for (Wire& wire : machine.wires) wire.link.latency += slower;
    Network net = network;
    net.interface.latency += slower;
    return PlanMachine(machine, net, peer_access);
  }
};

using PlannedTime = std::function<Seconds(Bytes, const MachinePlan&, int)>;
const std::vector<std::pair<std::string, PlannedTime>>& PlannedTimes() {
  static const std::vector<std::pair<std::string, PlannedTime>> times = {
      {"flat", FlatAllReduceTime},
      {"hierarchical",
       [](Bytes s, const MachinePlan& p, int m) { return HierarchicalAllReduceTime(s, p, m); }},
      {"in pieces",
       [](Bytes s, const MachinePlan& p, int m) { return HierarchicalAllReduceTime(s, p, m, 4); }},
      {"tree", [](Bytes s, const MachinePlan& p, int m) { return TreeAllReduceTime(s, p, m); }},
      {"fastest", [](Bytes s, const MachinePlan& p, int m) { return FastestAllReduce(s, p, m).time; }},
  };
  return times;
}

/// Less than, but for rounding.
bool AtMost(Seconds a, Seconds b) {
  return a.count() <= b.count() * (1 + 1e-12);
}

RC_GTEST_PROP(CostFormulas, NeverTakeLessForMoreBytesRanksOrLatency, ()) {
  const Bytes payload = AnyPayload();
  const Bytes more{payload.value + Any(1, 1000000, 1)};
  const int ranks = *rc::gen::inRange(1, 5000);
  const Link link = AnyLink();
  const Link slower{.latency = link.latency + Seconds(Any(1, 1000, 1e-7)), .bandwidth = link.bandwidth};
  for (const Formula& formula : Formulas()) {
    const Seconds time = formula.time(payload, ranks, link);
    RC_LOG(formula.name);
    RC_ASSERT(time.count() >= 0);
    RC_ASSERT(AtMost(time, formula.time(more, ranks, link)));
    RC_ASSERT(AtMost(time, formula.time(payload, ranks + 1, link)));
    RC_ASSERT(AtMost(time, formula.time(payload, ranks, slower)));
  }
}

RC_GTEST_PROP(CostFormulas, TakeNothingForOneRank, ()) {
  const Bytes payload = AnyPayload();
  const Link link = AnyLink();
  for (const Formula& formula : Formulas()) {
    RC_LOG(formula.name);
    RC_ASSERT(formula.time(payload, 1, link).count() == 0);
  }
}

RC_GTEST_PROP(ServersElsewhere, NeverTakeLessForMoreBytesWorkersOrLatency, ()) {
  const Bytes payload = AnyPayload();
  const Bytes twice{2 * payload.value};
  ParameterServers cluster{.workers = *rc::gen::inRange(1, 500),
                           .servers = *rc::gen::inRange(1, 50),
                           .worker = AnyLink(),
                           .server = AnyLink(),
                           .sum_rate = {1e10}};
  const Seconds time = ParameterServerTime(payload, cluster);
  RC_ASSERT(AtMost(time, ParameterServerTime(twice, cluster)));
  ParameterServers more = cluster;
  ++more.workers;
  RC_ASSERT(AtMost(time, ParameterServerTime(payload, more)));
  cluster.server.latency += Seconds(1e-5);
  RC_ASSERT(AtMost(time, ParameterServerTime(payload, cluster)));
}

RC_GTEST_PROP(PlannedMachines, NeverTakeLessForMoreBytesMachinesOrLatency, ()) {
  const AnyMachine any;
  const MachinePlan plan = any.Plan();
  const MachinePlan slower = any.Plan(Seconds(Any(1, 100, 1e-7)));
  const Bytes payload = AnyPayload();
  const Bytes more{payload.value + Any(1, 1000000, 1)};
  const int machines = *rc::gen::inRange(2, 600);
  for (const auto& [name, time_of] : PlannedTimes()) {
    const Seconds time = time_of(payload, plan, machines);
    RC_LOG(name);
    RC_ASSERT(time.count() > 0);
    RC_ASSERT(AtMost(time, time_of(more, plan, machines)));
    RC_ASSERT(AtMost(time, time_of(payload, plan, machines + 1)));
    RC_ASSERT(AtMost(time, time_of(payload, slower, machines)));
  }
}

RC_GTEST_PROP(PlannedMachines, TakeNothingForOneGpu, ()) {
  AnyMachine any;
  any.tree.gpus = 1;
  const MachinePlan plan = any.Plan();
  for (const auto& [name, time_of] : PlannedTimes()) {
    RC_LOG(name);
    RC_ASSERT(time_of(AnyPayload(), plan, 1).count() == 0);
  }
}

RC_GTEST_PROP(PlannedMachines, HierarchicalOnOneMachineIsTheFlatRing, ()) {
  const MachinePlan plan = AnyMachine().Plan();
  const Bytes payload = AnyPayload();
  RC_ASSERT(HierarchicalAllReduceTime(payload, plan, 1) == FlatAllReduceTime(payload, plan, 1));
}

RC_GTEST_PROP(PlannedMachines, TheLatencyOfEveryHopIsPaidAtLeastOnce, ()) {
  const AnyMachine any;
  const MachinePlan plan = any.Plan();
  const int machines = *rc::gen::inRange(2, 600);
  RC_ASSERT(FlatAllReduceTime({1}, plan, machines) >= machines * any.network.interface.latency);
}

}  // namespace
}  // namespace stallscope::cost
