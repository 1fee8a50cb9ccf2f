#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stallscope/catalog/allreduce_curve.h"
#include "stallscope/catalog/dataset_preset.h"
#include "stallscope/catalog/gpu.h"
#include "stallscope/catalog/machine.h"
#include "stallscope/catalog/price.h"
#include "stallscope/catalog/topology.h"

namespace stallscope {

struct CatalogOptions {
  bool shipped = true;
  /// Files that were added or imported (UserCatalogFolder); a folder that is not there is empty.
  std::optional<std::filesystem::path> user_folder;
  /// --catalog, in order: tables as in data/, or machine cards. Later rows replace earlier ones of that name.
  std::vector<std::filesystem::path> files;
};

/// The facts of machines, GPUs, prices, data sets and measured bandwidth. Immutable; copies are cheap and
/// share the facts, and all const functions may be called from any thread.
class Catalog {
 public:
  /// Reads what is shipped, then the user's files. Throws Error that names the file, the line and the column.
  static Catalog Load(const CatalogOptions& options = {});

  const std::vector<Machine>& machines() const;
  const std::vector<Gpu>& gpus() const;
  const std::vector<Price>& prices() const;
  const std::vector<DatasetPreset>& datasets() const;
  const std::vector<AllReduceCurve>& curves() const;
  const std::vector<AllReduceThreshold>& thresholds() const;
  const std::vector<Source>& sources() const;
  const std::vector<MachineTopology>& topologies() const;

  /// By name in any case, or "aws/p3.8xlarge" where several providers have the name. The first throws
  /// UsageError with the nearest names.
  const Machine& FindMachine(std::string_view name) const;
  const Machine* MachineOrNull(std::string_view name) const;
  const Gpu& FindGpu(std::string_view name) const;
  const Gpu* GpuOrNull(std::string_view name) const;
  const DatasetPreset& FindDataset(std::string_view name) const;
  const Source* SourceOrNull(std::string_view name) const;

  /// Null where the machine has no price there. Without a region: the provider's reference region, else the
  /// only one that is known.
  const Price* PriceOf(const Machine& machine, std::string_view region = {}) const;
  std::optional<double> UsdPerHour(const Machine& machine, std::string_view region, bool spot) const;
  /// All regions of a machine, by name.
  std::vector<Price> PricesOf(const Machine& machine) const;
  /// "us-east-1" for aws; empty where the catalog has none.
  std::string ReferenceRegion(std::string_view provider) const;

  /// The published all-reduce of whole machines (or a system that is called so) on so many nodes over that
  /// transport: of several the one with most points. An empty transport takes the fastest one. Null where
  /// nobody published any.
  const AllReduceCurve* FittedBandwidth(std::string_view system, int nodes,
                                        std::string_view transport = {}) const;

  /// From the topology table, else by class; nothing where too little is known.
  std::optional<MachineTopology> TopologyOf(const Machine& machine) const;

 private:
  struct Facts;
  explicit Catalog(std::shared_ptr<const Facts> facts);
  std::shared_ptr<const Facts> facts_;
};

}  // namespace stallscope
