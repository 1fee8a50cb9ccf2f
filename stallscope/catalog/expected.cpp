#include "stallscope/catalog/expected.h"

#include <fmt/format.h>

#include <algorithm>

namespace stallscope {
namespace {

std::string SourceText(const Catalog& catalog, const Provenance& from) {
  std::string text;
  for (const std::string& name : from.sources) {
    const Source* source = catalog.SourceOrNull(name);
    text += (text.empty() ? "" : "; ") + (source != nullptr ? source->where : name);
  }
  return text;
}

/// Columns that nobody looked up are no ground to fail a machine on.
bool Verified(const Provenance& from, std::string_view column) {
  return std::find(from.unverified.begin(), from.unverified.end(), column) == from.unverified.end();
}

class List {
 public:
  List(const Catalog& catalog, const Machine& machine)
      : machine_(machine), source_(SourceText(catalog, machine.provenance)) {}

  template <typename Value>
  void Documented(const char* column, const char* name, const char* unit, const std::optional<Value>& value) {
    if (!value || !Verified(machine_.provenance, column)) return;
    quantities_.push_back({.name = name,
                           .unit = unit,
                           .value = Exactly(Plain(*value)),
                           .basis = kDocumented,
                           .source = source_});
  }

  void Add(Quantity quantity) { quantities_.push_back(std::move(quantity)); }
  std::vector<Quantity> Done() && { return std::move(quantities_); }

 private:
  static double Plain(double value) { return value; }
  static double Plain(Bytes value) { return value.value; }
  static double Plain(BytesPerSecond value) { return value.value; }

  const Machine& machine_;
  std::string source_;
  std::vector<Quantity> quantities_;
};

/// The fewest NVLinks that a GPU has; nothing where the machine has none, or they were not read.
std::optional<int> FewestNvlinks(const MachineTopology& topology) {
  std::optional<int> fewest;
  const Provenance& from = topology.provenance;
  if (topology.by_class || !Verified(from, "links")) return std::nullopt;
  for (const int gpu : topology.All(NodeKind::kGpu)) {
    int links = 0;
    for (const TopologyEdge& edge : topology.edges) {
      if (edge.kind == EdgeKind::kNvlink && (edge.from == gpu || edge.to == gpu)) links += edge.links;
    }
    fewest = std::min(fewest.value_or(links), links);
  }
  return fewest == 0 ? std::nullopt : fewest;
}

void AddCurve(const Catalog& catalog, const Machine& machine, int nodes, List& list) {
  const AllReduceCurve* curve = catalog.FittedBandwidth(machine.name, nodes);
  if (curve == nullptr) return;
  const int each = static_cast<int>(machine.gpus);
  list.Add({.name = fmt::format("allreduce.{}x{}.bus_bandwidth", nodes, each),
            .unit = "B/s",
            .value = LargestMessageBandwidth(*curve),
            .basis = kMeasured,
            .source = SourceText(catalog, curve->provenance)});
  if (!curve->latency_s) return;
  list.Add({.name = fmt::format("allreduce.{}x{}.latency", nodes, each),
            .unit = "s",
            .value = *curve->latency_s,
            .higher_is_better = false,
            .basis = kMeasured,
            .source = SourceText(catalog, curve->provenance)});
}

}  // namespace

std::vector<Quantity> ExpectedQuantities(const Catalog& catalog, const Machine& machine) {
  List list(catalog, machine);
  list.Documented("vcpus", "threads", "", machine.vcpus);
  list.Documented("memory_gib", "memory_bytes", "B", machine.memory);
  if (machine.gpus >= 1) list.Documented("gpus", "gpu.count", "", std::optional(machine.gpus));
  list.Documented("gpu_memory_gb", "gpu.memory_bytes", "B", machine.gpu_memory);
  if (const auto topology = catalog.TopologyOf(machine))
    list.Documented("topology", "gpu.nvlinks", "", FewestNvlinks(*topology));
  list.Documented("pcie_width", "gpu.pcie_width", "", machine.pcie_width);
  list.Documented("network_gbps", "network.rate", "B/s", machine.network_ceiling);
  for (int nodes = 1; nodes <= kMostExpectedNodes; ++nodes) AddCurve(catalog, machine, nodes, list);
  return std::move(list).Done();
}

}  // namespace stallscope
