#include <fmt/format.h>

#include "stallscope/catalog/topology.h"

namespace stallscope {
namespace {

std::string RateText(const std::optional<BytesPerSecond>& rate) {
  return rate ? fmt::format("{:.4g} GB/s", rate->value / 1e9) : std::string("rate unknown");
}

std::string EdgeText(const TopologyEdge& edge, const std::string& other) {
  switch (edge.kind) {
    case EdgeKind::kPcie:
      return fmt::format("{} (PCIe x{}, {})", other, edge.links, RateText(edge.one_way));
    case EdgeKind::kNvlink:
      return fmt::format("{} ({} NVLink{}, {})", other, edge.links, edge.links == 1 ? "" : "s",
                         RateText(edge.one_way));
    case EdgeKind::kSocket:
      return fmt::format("{} (sockets, {})", other, RateText(edge.one_way));
  }
  return other;
}

}  // namespace

std::string DescribeTopology(const MachineTopology& topology) {
  std::string text;
  for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
    std::string peers;
    for (const TopologyEdge& edge : topology.edges) {
      // Every edge once, at the part that comes first.
      const auto first = static_cast<std::size_t>(std::min(edge.from, edge.to));
      const auto second = static_cast<std::size_t>(std::max(edge.from, edge.to));
      if (first != i) continue;
      peers += (peers.empty() ? "" : ", ") + EdgeText(edge, topology.nodes[second].name);
    }
    if (!peers.empty()) text += fmt::format("{:<8} - {}\n", topology.nodes[i].name, peers);
  }
  return text;
}

}  // namespace stallscope
