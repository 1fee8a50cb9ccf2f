#include "stallscope/catalog/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "stallscope/base/error.h"

namespace stallscope {

std::vector<int> MachineTopology::All(NodeKind kind) const {
  std::vector<int> found;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].kind == kind) found.push_back(static_cast<int>(i));
  }
  return found;
}

std::optional<BytesPerSecond> PcieRate(int generation, int lanes) {
  // GT/s of a lane, and the share that the line code leaves: 8b/10b, then 128b/130b.
  constexpr std::array kTransfers = {2.5, 5.0, 8.0, 16.0, 32.0};
  if (generation < 1 || generation > static_cast<int>(kTransfers.size()) || lanes < 1) return std::nullopt;
  const double code = generation <= 2 ? 8.0 / 10 : 128.0 / 130;
  return BytesPerSecond{kTransfers[static_cast<std::size_t>(generation - 1)] * 1e9 * code / 8 * lanes};
}

namespace {

[[noreturn]] void Complain(const MachineTopology& topology, const std::string& what) {
  const Provenance& from = topology.provenance;
  throw Error(fmt::format("{} line {}: topology '{}' {}", from.file, from.line, topology.name, what),
              "correct its edges");
}

/// Indices that can be reached from the first node.
std::set<int> Reached(const MachineTopology& topology) {
  std::set<int> reached = {0};
  for (bool grew = true; grew;) {
    grew = false;
    for (const TopologyEdge& edge : topology.edges) {
      if (reached.contains(edge.from) != reached.contains(edge.to)) {
        reached.insert({edge.from, edge.to});
        grew = true;
      }
    }
  }
  return reached;
}

}  // namespace

void CheckTopology(const MachineTopology& topology) {
  const int count = static_cast<int>(topology.nodes.size());
  if (topology.All(NodeKind::kGpu).empty()) Complain(topology, "has no GPU");
  std::set<std::string> names;
  for (const TopologyNode& node : topology.nodes) {
    if (!names.insert(node.name).second) Complain(topology, fmt::format("has '{}' twice", node.name));
  }
  std::set<std::tuple<int, int, EdgeKind>> pairs;
  for (const TopologyEdge& edge : topology.edges) {
    if (std::min(edge.from, edge.to) < 0 || std::max(edge.from, edge.to) >= count)
      Complain(topology, "has an edge that leads nowhere");
    const auto pair = std::minmax(edge.from, edge.to);
    if (!pairs.emplace(pair.first, pair.second, edge.kind).second) {
      Complain(topology, fmt::format("connects {} and {} twice", topology.nodes[pair.first].name,
                                     topology.nodes[pair.second].name));
    }
  }
  const std::set<int> reached = Reached(topology);
  for (int i = 0; i < count; ++i) {
    if (!reached.contains(i))
      Complain(topology,
               fmt::format("does not connect {} with {}", topology.nodes[i].name, topology.nodes[0].name));
  }
}

}  // namespace stallscope
