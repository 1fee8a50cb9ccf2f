#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stallscope/catalog/tables.h"

namespace stallscope {
namespace {

struct NodeWord {
  const char* word;
  NodeKind kind;
};

constexpr std::array kNodeWords = {
    NodeWord{"gpu", NodeKind::kGpu},          NodeWord{"switch", NodeKind::kPcieSwitch},
    NodeWord{"board", NodeKind::kPcieSwitch}, NodeWord{"nvswitch", NodeKind::kNvSwitch},
    NodeWord{"host", NodeKind::kHost},        NodeWord{"nic", NodeKind::kNic},
};

/// "gpu12" is a GPU: a word and a number.
NodeKind KindOfNode(const CsvRow& row, const char* column, const std::string& name) {
  const std::size_t digits = std::min(name.find_first_of("0123456789"), name.size());
  const bool number =
      digits > 0 && digits < name.size() && name.find_first_not_of("0123456789", digits) == std::string::npos;
  for (const NodeWord& node : kNodeWords) {
    if (number && name.substr(0, digits) == node.word) return node.kind;
  }
  row.Fail(column, fmt::format("is '{}'; parts are gpu0, switch0, board0, nvswitch0, host0 or nic0", name));
}

EdgeKind KindOfEdge(const CsvRow& row) {
  const std::string kind = row.RequiredText("kind");
  if (kind == "pcie") return EdgeKind::kPcie;
  if (kind == "nvlink") return EdgeKind::kNvlink;
  if (kind == "socket") return EdgeKind::kSocket;
  row.Fail("kind", fmt::format("is '{}', none of pcie, nvlink, socket", kind));
}

int NodeOf(const CsvRow& row, const char* column, MachineTopology& topology) {
  const std::string name = row.RequiredText(column);
  const auto found = std::find_if(topology.nodes.begin(), topology.nodes.end(),
                                  [&](const TopologyNode& node) { return node.name == name; });
  if (found != topology.nodes.end()) return static_cast<int>(found - topology.nodes.begin());
  topology.nodes.push_back({KindOfNode(row, column, name), name});
  return static_cast<int>(topology.nodes.size()) - 1;
}

}  // namespace

void ReadTopologyRow(const CsvRow& row, std::vector<MachineTopology>& topologies) {
  const std::string name = row.RequiredText("topology");
  const bool goes_on = !topologies.empty() && topologies.back().name == name &&
                       topologies.back().provenance.file == row.source();
  if (!goes_on) topologies.push_back({.name = name, .provenance = ReadProvenance(row)});
  MachineTopology& topology = topologies.back();
  TopologyEdge edge{.from = NodeOf(row, "from", topology),
                    .to = NodeOf(row, "to", topology),
                    .kind = KindOfEdge(row),
                    .links = row.Integer("links", 1).value_or(1)};
  if (edge.from == edge.to) row.Fail("to", "is the part that the edge comes from");
  if (const auto rate = row.Number("gbs_one_way")) {
    if (*rate <= 0) row.Fail("gbs_one_way", "is 0; leave it blank where it is not known");
    edge.one_way = BytesPerSecond{*rate * 1e9};
  }
  topology.edges.push_back(edge);
}

}  // namespace stallscope
