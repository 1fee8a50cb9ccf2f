#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stallscope/base/units.h"
#include "stallscope/catalog/gpu.h"
#include "stallscope/catalog/machine.h"

namespace stallscope {

enum class NodeKind {
  kGpu,
  kPcieSwitch,
  kNvSwitch,
  kHost,  ///< one socket or NUMA node: its host bridge and memory
  kNic,
};

enum class EdgeKind {
  kPcie,
  kNvlink,
  kSocket,  ///< between hosts
};

struct TopologyNode {
  NodeKind kind = NodeKind::kGpu;
  std::string name;  ///< "gpu0", "switch1", "host0", "nic0"
};

/// A connection, as fast each way. The rate is the wire's, not what a copy gets out of it.
struct TopologyEdge {
  int from = 0;  ///< index into nodes
  int to = 0;
  EdgeKind kind = EdgeKind::kPcie;
  int links = 1;                          ///< NVLinks of this pair, or PCIe lanes
  std::optional<BytesPerSecond> one_way;  ///< of all links together
};

/// What is inside a machine. GPUs come first, in the order in which CUDA numbers them, then NICs in order.
struct MachineTopology {
  std::string name;
  std::vector<TopologyNode> nodes;
  std::vector<TopologyEdge> edges;
  /// Derived from the machine's class (GPU, count, interconnect), not read anywhere.
  bool by_class = false;
  std::optional<BytesPerSecond> nic_rate;  ///< of each NIC, towards other machines
  Provenance provenance;

  std::vector<int> All(NodeKind kind) const;
};

/// PCIe's line rate one way, after encoding: 0.985 GB/s for a lane of generation 3, doubled by each later
/// one.
std::optional<BytesPerSecond> PcieRate(int generation, int lanes);

/// What every machine of that GPU count and interconnect has in common. Nothing for slices of a GPU, and
/// where not even the interconnect is known and there are several GPUs.
std::optional<MachineTopology> TopologyByClass(const Machine& machine, const Gpu* gpu);

/// Throws Error where nodes cannot reach each other, an edge leads nowhere, or names are not unique.
void CheckTopology(const MachineTopology& topology);

/// One line per node with what it is connected to, and which GPU pairs have NVLinks.
std::string DescribeTopology(const MachineTopology& topology);

}  // namespace stallscope
