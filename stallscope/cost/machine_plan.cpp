#include "stallscope/cost/machine_plan.h"

#include <algorithm>
#include <limits>

#include "stallscope/base/error.h"
#include "stallscope/cost/check_count.h"
#include "stallscope/cost/routes.h"

namespace stallscope::cost {
namespace {

/// What one of several flows has while all are under way, each by its own route: the busiest way's share.
struct SharedRoutes {
  std::vector<int> load;

  explicit SharedRoutes(const Topology& machine) : load(2 * machine.wires.size(), 0) {}
  void Add(const Route& route) {
    for (const Way way : route.ways) ++load[way];
  }
  double LeastShare(const Topology& machine) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t way = 0; way < load.size(); ++way) {
      if (load[way] > 0) least = std::min(least, machine.wires[way / 2].link.bandwidth.value / load[way]);
    }
    return least;
  }
};

/// The nearest NIC; of several as near the one with the fewest GPUs so far.
int NicFor(const Topology& machine, int gpu, const std::vector<int>& nics,
           const std::vector<int>& gpus_of_nic) {
  int chosen = 0;
  std::size_t fewest_wires = std::numeric_limits<std::size_t>::max();
  for (int i = 0; i < static_cast<int>(nics.size()); ++i) {
    const std::size_t wires = RouteBetween(machine, gpu, nics[i]).ways.size();
    const bool nearer = wires < fewest_wires;
    if (nearer || (wires == fewest_wires && gpus_of_nic[i] < gpus_of_nic[chosen])) chosen = i;
    fewest_wires = std::min(fewest_wires, wires);
  }
  return chosen;
}

void PlanCross(const Topology& machine, const Network& network, MachinePlan& plan) {
  const std::vector<int> gpus = machine.All(Part::kGpu);
  const std::vector<int> nics = machine.All(Part::kNic);
  std::vector<int> gpus_of_nic(nics.size(), 0);
  SharedRoutes shared(machine);
  Seconds nearest{std::numeric_limits<double>::infinity()};
  for (const int gpu : gpus) {
    const int nic = NicFor(machine, gpu, nics, gpus_of_nic);
    ++gpus_of_nic[nic];
    const Route out = RouteBetween(machine, gpu, nics[nic]);
    const Route in = RouteBetween(machine, nics[nic], gpu);
    shared.Add(out);
    shared.Add(in);
    const Seconds latency = out.latency + network.interface.latency + in.latency;
    nearest = std::min(nearest, latency);
    plan.farthest_latency = std::max(plan.farthest_latency, latency);
  }
  double share = shared.LeastShare(machine);
  for (const int count : gpus_of_nic) {
    if (count > 0) share = std::min(share, SharedBy(network, count).bandwidth.value / count);
  }
  plan.cross = Link{.latency = nearest, .bandwidth = {share * static_cast<double>(gpus.size())}};
}

Link PlanHost(const Topology& machine) {
  const std::vector<int> hosts = machine.All(Part::kHost);
  SharedRoutes shared(machine);
  Seconds latency{0};
  for (const int gpu : machine.All(Part::kGpu)) {
    const Route route = RouteBetween(machine, gpu, Nearest(machine, gpu, hosts));
    shared.Add(route);
    latency = std::max(latency, route.latency);
  }
  return {.latency = latency, .bandwidth = {shared.LeastShare(machine)}};
}

/// Throws where the machine has no way out.
template <typename T>
const T& Connected(const std::optional<T>& part) {
  if (!part) {
    throw Error("the machine has no network interface, so several of them cannot share gradients",
                "add a NIC to its topology, or use one machine");
  }
  return *part;
}

Seconds CrossTime(Bytes payload, const MachinePlan& plan, int machines) {
  if (machines == 1) return Seconds(0);
  const Link& near = Connected(plan.cross);
  const Link far{.latency = plan.farthest_latency, .bandwidth = near.bandwidth};
  return std::max(RingAllReduceTime(payload, machines, near),
                  RingAllReduceTime({payload.value / plan.gpus}, machines, far));
}

}  // namespace

MachinePlan PlanMachine(const Topology& machine, const Network& network, PeerAccess peer_access) {
  MachinePlan plan{.inside = PlanRings(machine, peer_access)};
  plan.gpus = plan.inside.gpus;
  if (!machine.All(Part::kNic).empty()) {
    plan.across = PlanRingsAcross(machine, network, peer_access);
    PlanCross(machine, network, plan);
  }
  if (!machine.All(Part::kHost).empty()) plan.host = PlanHost(machine);
  return plan;
}

Seconds FlatAllReduceTime(Bytes payload, const MachinePlan& plan, int machines) {
  if (machines == 1) return RingAllReduceTime(payload, plan.inside);
  return RingAllReduceTime(payload, Connected(plan.across), machines);
}

Seconds HierarchicalAllReduceTime(Bytes payload, const MachinePlan& plan, int machines, int pieces) {
  CheckCount(pieces, "pieces");
  const Bytes piece{payload.value / pieces};
  const Seconds inside = RingAllReduceTime(piece, plan.inside);
  const Seconds cross = CrossTime(piece, plan, machines);
  return inside + cross + (pieces - 1.0) * std::max(inside, cross);
}

Seconds TreeAllReduceTime(Bytes payload, const MachinePlan& plan, int machines, Bytes piece) {
  const int depth = TreeDepth(machines);
  const Link cross = depth == 0 ? Link{} : Connected(plan.cross);
  const double chain = plan.gpus - 1.0;
  if (depth == 0 && chain == 0) return Seconds(0);
  const Bytes first{std::min(piece.value, payload.value / 2)};
  const Bytes both{2 * first.value};
  const Bytes rest{payload.value - both.value};
  const RingPlan& ring = depth == 0 ? plan.inside : Connected(plan.across);
  const Seconds latency = 2.0 * (ring.chain_latency + depth * ring.closing_latency);
  // Both halves share the chain; every level of a tree but the highest has two senders for one receiver.
  const double levels = std::max(0, 2 * depth - 1);
  const Seconds fill = 2.0 * (chain * (both / plan.inside.bandwidth) + levels * (first / cross.bandwidth));
  const Seconds flow = std::max(std::min(chain, 2.0) * (rest / plan.inside.bandwidth),
                                DoubleTreeLoad(machines) * (rest / cross.bandwidth));
  return latency + fill + flow;
}

Choice FastestAllReduce(Bytes payload, const MachinePlan& plan, int machines) {
  const Choice ring{Algorithm::kRing, FlatAllReduceTime(payload, plan, machines)};
  const Choice tree{Algorithm::kTree, TreeAllReduceTime(payload, plan, machines)};
  return tree.time < ring.time ? tree : ring;
}

}  // namespace stallscope::cost
