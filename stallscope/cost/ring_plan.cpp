#include "stallscope/cost/ring_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "stallscope/base/error.h"
#include "stallscope/cost/check_count.h"
#include "stallscope/cost/ring_search.h"

namespace stallscope::cost {
namespace {

/// NVLink meshes have at most six links per GPU and way; what comes after that is crumbs.
constexpr int kMostRings = 12;
/// A further ring that adds less than this share of the first is not worth its latency.
constexpr double kLeastShare = 0.01;

/// One hop of a ring, from GPU to GPU: what it passes, and the network's interface where it leaves the
/// machine.
struct Hop {
  std::vector<Way> ways;
  Seconds latency{0};
  int nic = -1;
};

struct HoppedRing {
  Ring ring;
  std::vector<Hop> hops;
};

/// Ways of the wires, then one per NIC for its interface to the network.
struct Capacity {
  std::vector<double> of_way;
  std::size_t wires = 0;

  explicit Capacity(const Topology& machine, int nics = 0, const Link& interface = {})
      : of_way(2 * machine.wires.size(), 0), wires(machine.wires.size()) {
    for (std::size_t i = 0; i < wires; ++i) {
      of_way[2 * i] = of_way[2 * i + 1] = machine.wires[i].link.bandwidth.value;
    }
    of_way.resize(of_way.size() + nics, interface.bandwidth.value);
  }
  Way Interface(int nic) const { return static_cast<Way>(2 * wires) + nic; }
};

std::vector<std::vector<Route>> RoutesBetween(const Topology& machine, const std::vector<int>& parts,
                                              PeerAccess peer_access) {
  std::vector<std::vector<Route>> routes(parts.size(), std::vector<Route>(parts.size()));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = 0; j < parts.size(); ++j) {
      if (i == j) continue;
      const bool gpus = machine.parts[parts[i]] == Part::kGpu && machine.parts[parts[j]] == Part::kGpu;
      routes[i][j] = GpuRoute(machine, parts[i], parts[j], gpus ? peer_access : PeerAccess::kOn);
    }
  }
  return routes;
}

void Take(const HoppedRing& found, std::vector<double>& left) {
  for (const Hop& hop : found.hops) {
    for (const Way way : hop.ways) left[way] = std::max(0.0, left[way] - found.ring.bandwidth.value);
  }
}

/// How busy each way is while all rings run: 1 where it limits.
std::vector<double> Utilisation(const std::vector<HoppedRing>& rings, const std::vector<double>& capacity) {
  std::vector<double> used(capacity.size(), 0);
  for (const HoppedRing& found : rings) {
    for (const Hop& hop : found.hops) {
      for (const Way way : hop.ways) used[way] += found.ring.bandwidth.value / capacity[way];
    }
  }
  return used;
}

/// Sums over the hops of a ring, of the ring where each is largest.
struct Laps {
  double lap = 0;
  double way = 0;  // two laps less the two cheapest neighbours
  double chain = 0;
  double closing = 0;

  void Add(const std::vector<double>& hops) {
    const double sum = std::accumulate(hops.begin(), hops.end(), 0.0);
    double cheapest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < hops.size(); ++i) {
      cheapest = std::min(cheapest, hops[i] + hops[(i + 1) % hops.size()]);
    }
    lap = std::max(lap, sum);
    way = std::max(way, 2 * sum - cheapest);
    chain = std::max(chain, std::accumulate(hops.begin(), hops.end() - 1, 0.0));
    closing = std::max(closing, hops.back());
  }
};

RingPlan Summarise(int gpus, const std::vector<HoppedRing>& rings, const std::vector<double>& capacity) {
  RingPlan plan{.gpus = gpus, .bandwidth = {0}};
  for (const HoppedRing& found : rings) {
    plan.rings.push_back(found.ring);
    plan.bandwidth.value += found.ring.bandwidth.value;
  }
  const std::vector<double> used = Utilisation(rings, capacity);
  Laps latency, transfer;
  for (const HoppedRing& found : rings) {
    std::vector<double> latencies, s_per_byte;
    for (const Hop& hop : found.hops) {
      double busiest = 0;
      for (const Way way : hop.ways) busiest = std::max(busiest, used[way]);
      latencies.push_back(hop.latency.count());
      s_per_byte.push_back(busiest / plan.bandwidth.value);
      const bool limits = busiest >= 1 - 1e-9;
      if (limits) plan.slowest_latency = std::max(plan.slowest_latency, hop.latency);
    }
    latency.Add(latencies);
    transfer.Add(s_per_byte);
  }
  plan.lap_latency = Seconds(latency.lap);
  plan.spared_latency = Seconds(2 * latency.lap - latency.way);
  plan.chain_latency = Seconds(latency.chain);
  plan.closing_latency = Seconds(latency.closing);
  plan.lap_s_per_byte = transfer.lap;
  plan.spared_s_per_byte = 2 * transfer.lap - transfer.way;
  return plan;
}

std::size_t LongestHop(const HoppedRing& found) {
  std::size_t longest = 0;
  for (const Hop& hop : found.hops) longest = std::max(longest, hop.ways.size());
  return longest;
}

/// Stop 0 may be a NIC: then the hop into it and the hop out of it, in the next machine, are one hop from GPU
/// to GPU.
HoppedRing Hopped(const FoundRing& found, const Stops& stops, int nic) {
  HoppedRing ring{.ring = {.nic = nic, .bandwidth = {found.bandwidth}}};
  for (std::size_t i = 0; i < found.order.size(); ++i) {
    const Route& route = stops.route[found.order[i]][found.order[(i + 1) % found.order.size()]];
    ring.hops.push_back({.ways = route.ways, .latency = route.latency});
    ring.ring.gpus.push_back(found.order[i]);
  }
  if (nic < 0) return ring;
  const Hop& in = ring.hops.front();
  Hop& out = ring.hops.back();
  out.ways.insert(out.ways.end(), in.ways.begin(), in.ways.end());
  out.latency += in.latency;
  ring.hops.erase(ring.hops.begin());
  ring.ring.gpus.erase(ring.ring.gpus.begin());
  for (int& gpu : ring.ring.gpus) --gpu;
  return ring;
}

void CheckNetwork(const Network& network) {
  const Link one = SharedBy(network, 1);
  if (one.bandwidth.value > 0 && one.latency.count() >= 0) return;
  throw Error(
      fmt::format("the network has {} B/s and a latency of {} s", one.bandwidth.value, one.latency.count()),
      "give it a bandwidth above zero, at least one flow, and a latency of zero or more");
}

}  // namespace

RingPlan PlanRings(const Topology& machine, PeerAccess peer_access) {
  Check(machine);
  const std::vector<int> gpus = machine.All(Part::kGpu);
  CheckCount(static_cast<int>(gpus.size()), "GPUs");
  if (gpus.size() == 1) return {};
  const Stops stops{RoutesBetween(machine, gpus, peer_access)};
  const Capacity capacity(machine);
  std::vector<double> left = capacity.of_way;
  std::vector<HoppedRing> rings;
  std::size_t longest_hop = std::numeric_limits<std::size_t>::max();
  std::optional<FoundRing> other_way;
  while (rings.size() < kMostRings) {
    std::optional<FoundRing> found = other_way ? other_way : WidestRing(stops, left, longest_hop);
    if (!found) break;
    if (!rings.empty() && found->bandwidth < kLeastShare * rings.front().ring.bandwidth.value) break;
    rings.push_back(Hopped(*found, stops, -1));
    if (!(found->bandwidth < kNoLimit.value)) break;
    Take(rings.back(), left);
    // NVLink rings are not joined by slow ones over PCIe.
    if (rings.size() == 1) longest_hop = LongestHop(rings.front());
    // Both ways in turn: what is left then stays the same both ways, and more rings fit into it.
    other_way = other_way ? std::nullopt : Reversed(*found, stops, left);
  }
  return Summarise(static_cast<int>(gpus.size()), rings, capacity.of_way);
}

RingPlan PlanRingsAcross(const Topology& machine, const Network& network, PeerAccess peer_access) {
  Check(machine);
  const std::vector<int> gpus = machine.All(Part::kGpu);
  const std::vector<int> nics = machine.All(Part::kNic);
  CheckCount(static_cast<int>(gpus.size()), "GPUs");
  CheckCount(static_cast<int>(nics.size()), "NICs");
  CheckNetwork(network);
  const Link interface = SharedBy(network, 1);
  const Capacity capacity(machine, static_cast<int>(nics.size()), interface);
  std::vector<double> left = capacity.of_way;
  std::vector<HoppedRing> rings;
  for (int nic = 0; nic < static_cast<int>(nics.size()); ++nic) {
    std::vector<int> parts{nics[nic]};
    parts.insert(parts.end(), gpus.begin(), gpus.end());
    Stops stops{RoutesBetween(machine, parts, peer_access)};
    for (std::size_t i = 1; i < parts.size(); ++i) {
      Route& out = stops.route[i][0];  // leads on through the interface
      out.ways.push_back(capacity.Interface(nic));
      out.latency += interface.latency;
    }
    const std::optional<FoundRing> found = WidestRing(stops, left, std::numeric_limits<std::size_t>::max());
    if (!found) continue;
    if (!rings.empty() && found->bandwidth < kLeastShare * rings.front().ring.bandwidth.value) continue;
    rings.push_back(Hopped(*found, stops, nic));
    if (!(found->bandwidth < kNoLimit.value)) break;
    Take(rings.back(), left);
  }
  return Summarise(static_cast<int>(gpus.size()), rings, capacity.of_way);
}

Seconds RingAllReduceTime(Bytes payload, const RingPlan& plan, int machines) {
  CheckCount(machines, "machines");
  const double ranks = static_cast<double>(plan.gpus) * machines;
  if (ranks == 1) return Seconds(0);
  const Bytes chunk{payload.value / ranks};
  const Seconds work = 2 * (ranks - 1) * (chunk / plan.bandwidth) + plan.slowest_latency;
  const double laps = 2.0 * machines;
  const double way_s_per_byte = laps * plan.lap_s_per_byte - plan.spared_s_per_byte;
  const Seconds way = laps * plan.lap_latency - plan.spared_latency + Seconds(chunk.value * way_s_per_byte);
  return std::max(work, way);
}

}  // namespace stallscope::cost
