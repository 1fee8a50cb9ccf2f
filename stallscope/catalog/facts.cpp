#include "stallscope/catalog/facts.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace stallscope {
namespace {

/// Keeps the last row of each key, at the place of the first one.
template <typename Row, typename KeyOf>
void ReplaceByLater(std::vector<Row>& rows, KeyOf key_of) {
  std::map<std::string, std::size_t> places;
  std::vector<Row> kept;
  for (Row& row : rows) {
    const auto [place, is_new] = places.emplace(key_of(row), kept.size());
    if (is_new) {
      kept.push_back(std::move(row));
    } else {
      kept[place->second] = std::move(row);
    }
  }
  rows = std::move(kept);
}

/// "gpu12" is 12.
int NumberOf(const TopologyNode& node) {
  return std::stoi(node.name.substr(node.name.find_first_of("0123456789")));
}

/// GPUs first, then NICs, each by number: the order in which jobs number them.
void SortNodes(MachineTopology& topology) {
  const auto rank = [](NodeKind kind) { return kind == NodeKind::kGpu ? 0 : kind == NodeKind::kNic ? 1 : 2; };
  std::vector<int> order(topology.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    const auto place = [&](int i) {
      const TopologyNode& node = topology.nodes[static_cast<std::size_t>(i)];
      return std::tuple(rank(node.kind), rank(node.kind) < 2 ? NumberOf(node) : 0);
    };
    return place(a) < place(b);
  });
  std::vector<TopologyNode> nodes;
  std::vector<int> new_index(order.size());
  for (const int old : order) {
    new_index[static_cast<std::size_t>(old)] = static_cast<int>(nodes.size());
    nodes.push_back(topology.nodes[static_cast<std::size_t>(old)]);
  }
  topology.nodes = std::move(nodes);
  for (TopologyEdge& edge : topology.edges) {
    edge.from = new_index[static_cast<std::size_t>(edge.from)];
    edge.to = new_index[static_cast<std::size_t>(edge.to)];
  }
}

std::string KeyOf(const Price& price) {
  return LowerCase(price.provider + "/" + price.machine);
}

}  // namespace

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

Catalog::Facts::Facts(CatalogTables all) : tables(std::move(all)) {
  // The regions that ship with the program; imports bring others.
  for (const Price& price : tables.prices) {
    if (price.provenance.file.starts_with("data/")) reference_regions.emplace(price.provider, price.region);
  }
  ReplaceByLater(tables.machines, [](const Machine& m) { return LowerCase(FullName(m)); });
  ReplaceByLater(tables.gpus, [](const Gpu& gpu) { return LowerCase(gpu.name); });
  ReplaceByLater(tables.datasets, [](const DatasetPreset& preset) { return LowerCase(preset.name); });
  ReplaceByLater(tables.sources, [](const Source& source) { return source.name; });
  ReplaceByLater(tables.topologies, [](const MachineTopology& topology) { return LowerCase(topology.name); });
  ReplaceByLater(tables.prices, [](const Price& price) { return KeyOf(price) + "\n" + price.region; });
  for (MachineTopology& topology : tables.topologies) SortNodes(topology);

  for (std::size_t i = 0; i < tables.machines.size(); ++i) {
    machines[LowerCase(tables.machines[i].name)].push_back(i);
    machines[LowerCase(FullName(tables.machines[i]))].push_back(i);
  }
  for (std::size_t i = 0; i < tables.gpus.size(); ++i) gpus[LowerCase(tables.gpus[i].name)] = i;
  for (std::size_t i = 0; i < tables.datasets.size(); ++i) datasets[LowerCase(tables.datasets[i].name)] = i;
  for (std::size_t i = 0; i < tables.sources.size(); ++i) sources[tables.sources[i].name] = i;
  for (std::size_t i = 0; i < tables.topologies.size(); ++i)
    topologies[LowerCase(tables.topologies[i].name)] = i;
  for (std::size_t i = 0; i < tables.prices.size(); ++i) prices[KeyOf(tables.prices[i])].push_back(i);
  for (auto& [machine, rows] : prices) {
    std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
      return tables.prices[a].region < tables.prices[b].region;
    });
  }
}

}  // namespace stallscope
