#include "stallscope/predict/machine_wires.h"

#include <algorithm>

#include "stallscope/base/error.h"
#include "stallscope/cost/routes.h"

namespace stallscope {
namespace {

using namespace std::chrono_literals;

/// One hop over a wire of each kind; of the order of what copies between GPUs show.
constexpr Seconds kPcieLatency = 2us;
constexpr Seconds kSocketLatency = 3us;
constexpr Seconds kNvlinkLatency = 1us;

cost::Part PartOf(NodeKind kind) {
  switch (kind) {
    case NodeKind::kGpu:
      return cost::Part::kGpu;
    case NodeKind::kHost:
      return cost::Part::kHost;
    case NodeKind::kNic:
      return cost::Part::kNic;
    case NodeKind::kPcieSwitch:
    case NodeKind::kNvSwitch:
      break;
  }
  return cost::Part::kSwitch;
}

Seconds LatencyOf(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::kNvlink:
      return kNvlinkLatency;
    case EdgeKind::kSocket:
      return kSocketLatency;
    case EdgeKind::kPcie:
      break;
  }
  return kPcieLatency;
}

/// Whether every hop of the ring stays on NVLink.
bool OnNvlink(const cost::Topology& wires, const MachineTopology& machine, const cost::Ring& ring) {
  const std::vector<int> gpus = wires.All(cost::Part::kGpu);
  for (std::size_t i = 0; i < ring.gpus.size(); ++i) {
    const int from = gpus[static_cast<std::size_t>(ring.gpus[i])];
    const int to = gpus[static_cast<std::size_t>(ring.gpus[(i + 1) % ring.gpus.size()])];
    for (const cost::Way way : cost::GpuRoute(wires, from, to, cost::PeerAccess::kOn).ways) {
      if (machine.edges[static_cast<std::size_t>(way / 2)].kind != EdgeKind::kNvlink) return false;
    }
  }
  return true;
}

/// The widest PCIe wire of a GPU.
double PcieOf(const MachineTopology& machine) {
  double rate = 0;
  for (const TopologyEdge& edge : machine.edges) {
    const bool at_gpu = machine.nodes[static_cast<std::size_t>(edge.from)].kind == NodeKind::kGpu ||
                        machine.nodes[static_cast<std::size_t>(edge.to)].kind == NodeKind::kGpu;
    if (at_gpu && edge.kind == EdgeKind::kPcie && edge.one_way) rate = std::max(rate, edge.one_way->value);
  }
  return rate;
}

}  // namespace

std::optional<cost::Topology> WiresOf(const MachineTopology& machine) {
  cost::Topology wires;
  for (const TopologyNode& node : machine.nodes) wires.Add(PartOf(node.kind));
  for (const TopologyEdge& edge : machine.edges) {
    if (!edge.one_way) return std::nullopt;
    wires.Connect(edge.from, edge.to, {.latency = LatencyOf(edge.kind), .bandwidth = *edge.one_way});
  }
  return wires;
}

std::optional<InsideLink> PlannedInside(const MachineTopology& machine, int gpus) {
  const std::optional<cost::Topology> wires = WiresOf(machine);
  if (!wires || gpus < 2 || static_cast<int>(wires->All(cost::Part::kGpu).size()) < gpus) return std::nullopt;
  try {
    // Parts and wires of other GPUs drop out, so routes are looked up on the whole machine.
    const cost::RingPlan plan = cost::PlanRings(cost::WithFirstGpus(*wires, gpus));
    const BytesPerSecond pcie{PcieOf(machine)};
    if (plan.rings.empty() || pcie.value <= 0) return std::nullopt;
    if (OnNvlink(*wires, machine, plan.rings.front()))
      return InsideLink{InsideKind::kNvlink, plan.bandwidth, pcie};
    return InsideLink{InsideKind::kPcie, {}, plan.bandwidth};
  } catch (const Error&) {
    return std::nullopt;  // GPUs that cannot reach each other
  }
}

}  // namespace stallscope
