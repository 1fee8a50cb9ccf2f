#include "stallscope/catalog/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "stallscope/base/error.h"
#include "stallscope/base/names.h"
#include "stallscope/catalog/facts.h"
#include "stallscope/catalog/load.h"

namespace stallscope {
namespace {

/// Names as they are written, compared in small letters.
template <typename Rows, typename NameOf>
[[noreturn]] void NotFoundIn(const Rows& rows, NameOf name_of, const char* what, std::string_view name,
                             const char* list) {
  std::vector<std::string> lower;
  for (const auto& row : rows) lower.push_back(LowerCase(name_of(row)));
  auto near = NearestNames(LowerCase(name), lower);
  for (std::string& found : near) {
    for (const auto& row : rows) {
      if (LowerCase(name_of(row)) == found) {
        found = name_of(row);
        break;
      }
    }
  }
  near.erase(std::unique(near.begin(), near.end()), near.end());
  throw UsageError(fmt::format("the catalog has no {} '{}'", what, name),
                   near.empty() ? list : fmt::format("did you mean {}?", JoinAlternatives(near)));
}

}  // namespace

Catalog::Catalog(std::shared_ptr<const Facts> facts) : facts_(std::move(facts)) {}

Catalog Catalog::Load(const CatalogOptions& options) {
  return Catalog(std::make_shared<const Facts>(LoadTables(options)));
}

const std::vector<Machine>& Catalog::machines() const {
  return facts_->tables.machines;
}
const std::vector<Gpu>& Catalog::gpus() const {
  return facts_->tables.gpus;
}
const std::vector<Price>& Catalog::prices() const {
  return facts_->tables.prices;
}
const std::vector<DatasetPreset>& Catalog::datasets() const {
  return facts_->tables.datasets;
}
const std::vector<AllReduceCurve>& Catalog::curves() const {
  return facts_->tables.curves;
}
const std::vector<AllReduceThreshold>& Catalog::thresholds() const {
  return facts_->tables.thresholds;
}
const std::vector<Source>& Catalog::sources() const {
  return facts_->tables.sources;
}
const std::vector<MachineTopology>& Catalog::topologies() const {
  return facts_->tables.topologies;
}

const Machine* Catalog::MachineOrNull(std::string_view name) const {
  const auto found = facts_->machines.find(LowerCase(name));
  if (found == facts_->machines.end() || found->second.size() != 1) return nullptr;
  return &machines()[found->second.front()];
}

const Machine& Catalog::FindMachine(std::string_view name) const {
  if (const Machine* machine = MachineOrNull(name)) return *machine;
  const auto found = facts_->machines.find(LowerCase(name));
  if (found != facts_->machines.end()) {
    std::vector<std::string> full;
    for (const std::size_t i : found->second) full.push_back(FullName(machines()[i]));
    throw UsageError(fmt::format("'{}' is a machine of {} providers", name, full.size()),
                     fmt::format("say which: {}", JoinAlternatives(full)));
  }
  const bool with_provider = name.find('/') != std::string_view::npos;
  NotFoundIn(
      machines(), [&](const Machine& machine) { return with_provider ? FullName(machine) : machine.name; },
      "machine", name, "`stallscope catalog list` shows them all, `catalog add FILE` adds yours");
}

const Gpu* Catalog::GpuOrNull(std::string_view name) const {
  const auto found = facts_->gpus.find(LowerCase(name));
  return found == facts_->gpus.end() ? nullptr : &gpus()[found->second];
}

const Gpu& Catalog::FindGpu(std::string_view name) const {
  if (const Gpu* gpu = GpuOrNull(name)) return *gpu;
  NotFoundIn(
      gpus(), [](const Gpu& gpu) { return gpu.name; }, "GPU", name,
      "`stallscope catalog list --gpus` shows them all");
}

const DatasetPreset& Catalog::FindDataset(std::string_view name) const {
  const auto found = facts_->datasets.find(LowerCase(name));
  if (found != facts_->datasets.end()) return datasets()[found->second];
  NotFoundIn(
      datasets(), [](const DatasetPreset& preset) { return preset.name; }, "data set", name,
      "`stallscope catalog list --datasets` shows them all; or describe yours with --samples and "
      "--sample-bytes");
}

const Source* Catalog::SourceOrNull(std::string_view name) const {
  const auto found = facts_->sources.find(name);
  return found == facts_->sources.end() ? nullptr : &sources()[found->second];
}

std::vector<Price> Catalog::PricesOf(const Machine& machine) const {
  std::vector<Price> found;
  const auto rows = facts_->prices.find(LowerCase(FullName(machine)));
  if (rows == facts_->prices.end()) return found;
  for (const std::size_t i : rows->second) found.push_back(prices()[i]);
  return found;
}

std::string Catalog::ReferenceRegion(std::string_view provider) const {
  const auto found = facts_->reference_regions.find(provider);
  return found == facts_->reference_regions.end() ? std::string() : found->second;
}

const Price* Catalog::PriceOf(const Machine& machine, std::string_view region) const {
  const auto rows = facts_->prices.find(LowerCase(FullName(machine)));
  if (rows == facts_->prices.end()) return nullptr;
  const std::string wanted = region.empty() ? ReferenceRegion(machine.provider) : std::string(region);
  for (const std::size_t i : rows->second) {
    if (prices()[i].region == wanted) return &prices()[i];
  }
  // A few machines are only listed elsewhere; their one price is better than none.
  return region.empty() && rows->second.size() == 1 ? &prices()[rows->second.front()] : nullptr;
}

std::optional<double> Catalog::UsdPerHour(const Machine& machine, std::string_view region, bool spot) const {
  const Price* price = PriceOf(machine, region);
  if (price == nullptr) return std::nullopt;
  return spot ? price->spot_usd_hour : price->on_demand_usd_hour;
}

const AllReduceCurve* Catalog::FittedBandwidth(std::string_view system, int nodes,
                                               std::string_view transport) const {
  const Machine* machine = MachineOrNull(system);
  const std::string wanted = machine != nullptr ? machine->name : std::string(system);
  const AllReduceCurve* best = nullptr;
  for (const AllReduceCurve& curve : curves()) {
    const bool whole = machine == nullptr || curve.gpus == machine->gpus * nodes;
    const bool named = machine != nullptr ? curve.machine == wanted : curve.system == wanted;
    if (!named || !whole || curve.nodes != nodes || curve.collective != "all_reduce") continue;
    if (!transport.empty() && curve.transport != transport) continue;
    if (best == nullptr) {
      best = &curve;
      continue;
    }
    const bool same = curve.transport == best->transport;
    const bool better = same ? curve.points > best->points
                             : LargestMessageBandwidth(curve).mean > LargestMessageBandwidth(*best).mean;
    if (better) best = &curve;
  }
  return best;
}

std::optional<MachineTopology> Catalog::TopologyOf(const Machine& machine) const {
  std::optional<MachineTopology> topology;
  const auto found = facts_->topologies.find(LowerCase(machine.topology));
  if (!machine.topology.empty() && found != facts_->topologies.end()) {
    topology = topologies()[found->second];
  } else {
    topology = TopologyByClass(machine, GpuOrNull(machine.gpu));
  }
  if (!topology) return std::nullopt;
  const auto nics = static_cast<double>(topology->All(NodeKind::kNic).size());
  std::optional<BytesPerSecond> rate;
  if (machine.fabric && machine.fabric->rate) rate = machine.fabric->rate;
  if (!rate) rate = SustainedNetwork(machine);
  if (rate && nics > 0) topology->nic_rate = BytesPerSecond{rate->value / nics};
  return topology;
}

}  // namespace stallscope
