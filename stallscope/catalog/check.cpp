#include "stallscope/catalog/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "stallscope/base/names.h"
#include "stallscope/catalog/catalog_files.h"
#include "stallscope/catalog/facts.h"
#include "stallscope/catalog/load.h"

namespace stallscope {
namespace {

class Checker {
 public:
  explicit Checker(const CatalogTables& tables, std::vector<CatalogProblem>& problems)
      : tables_(tables), problems_(problems) {
    for (const Source& source : tables.sources) sources_.insert(source.name);
    for (const Gpu& gpu : tables.gpus) gpus_.insert(LowerCase(gpu.name));
    for (const Machine& machine : tables.machines) machines_.insert(LowerCase(FullName(machine)));
    for (const MachineTopology& topology : tables.topologies) topologies_.insert(LowerCase(topology.name));
  }

  void Gpus() {
    for (const Gpu& gpu : tables_.gpus) {
      From(gpu.provenance);
      const auto flops = [](const std::optional<FlopsPerSecond>& value) {
        return value ? std::optional(value->value) : std::nullopt;
      };
      InRange(gpu.provenance, "fp32_tflops", flops(gpu.fp32), 1e11, 1e15);
      InRange(gpu.provenance, "tf32_tflops", flops(gpu.tf32), 1e12, 1e17);
      InRange(gpu.provenance, "fp16_tflops", flops(gpu.fp16), 1e12, 1e17);
      InRange(gpu.provenance, "bf16_tflops", flops(gpu.bf16), 1e12, 1e17);
      InRange(gpu.provenance, "memory_gb", Plain(gpu.memory), 1e9, 1e12);
      InRange(gpu.provenance, "memory_gbs", Plain(gpu.memory_bandwidth), 1e10, 1e14);
      InRange(gpu.provenance, "nvlink_one_way_gbs", Plain(gpu.nvlink_one_way), 1e10, 1e13);
      if (gpu.fp32 && gpu.fp32_sustained && gpu.fp32_sustained->value > gpu.fp32->value)
        Error(gpu.provenance, "fp32_sustained_tflops is more than the peak");
    }
  }

  void Machines() {
    for (const Machine& machine : tables_.machines) {
      const Provenance& from = machine.provenance;
      From(from);
      InRange(from, "memory_gib", Plain(machine.memory), 1e9, 1e14);
      InRange(from, "network_gbps", Plain(machine.network_ceiling), 1e7, 1e13);
      InRange(from, "disk_mbs", Plain(machine.disk_ceiling), 1e6, 1e12);
      InRange(from, "gpus", machine.gpus, 0, 1024);
      if (machine.network_ceiling && machine.network_baseline &&
          machine.network_baseline->value > machine.network_ceiling->value)
        Error(from, "network_baseline_gbps is more than the ceiling");
      if (machine.burst == NetworkBurst::kCredit && !machine.network_baseline)
        Error(from, "network_burst is credit, and no baseline says what remains");
      if (!machine.topology.empty() && !topologies_.contains(LowerCase(machine.topology)))
        Error(from, fmt::format("topology '{}' is in no table", machine.topology));
      if (!machine.gpu.empty() && !gpus_.contains(LowerCase(machine.gpu)))
        Remark(from, fmt::format("gpu '{}' is not in the GPU table: its peaks are not known", machine.gpu));
      GpusOfTopology(machine);
    }
  }

  void Prices() {
    for (const Price& price : tables_.prices) {
      From(price.provenance);
      if (!machines_.contains(LowerCase(price.provider + "/" + price.machine)))
        Remark(price.provenance,
               fmt::format("machine '{}/{}' is in no table", price.provider, price.machine));
      InRange(price.provenance, "on_demand_usd_hour", price.on_demand_usd_hour, 0.001, 10000);
      InRange(price.provenance, "spot_usd_hour", price.spot_usd_hour, 0.001, 10000);
    }
  }

  void Curves() {
    for (const AllReduceCurve& curve : tables_.curves) {
      From(curve.provenance);
      if (curve.nodes > curve.gpus) Error(curve.provenance, "nodes are more than gpus");
      const auto is_named = [&](const Machine& machine) { return machine.name == curve.machine; };
      if (!curve.machine.empty() && std::none_of(tables_.machines.begin(), tables_.machines.end(), is_named))
        Error(curve.provenance, fmt::format("machine '{}' is in no table", curve.machine));
      double before = 0;
      for (const CurveSegment& segment : curve.segments) {
        const auto time = TimeOf(curve, segment.to);
        if (!time || time->count() <= 0 || time->count() < before * 0.999)
          Error(curve.provenance,
                fmt::format("the time at {:.0f} bytes is not after that of fewer", segment.to.value));
        if (time) before = time->count();
      }
    }
    for (const AllReduceThreshold& threshold : tables_.thresholds) From(threshold.provenance);
  }

  void Topologies() {
    for (const MachineTopology& topology : tables_.topologies) {
      From(topology.provenance);
      try {
        CheckTopology(topology);
      } catch (const stallscope::Error& error) {
        problems_.push_back({true, error.what()});
      }
    }
  }

  void Datasets() {
    for (const DatasetPreset& preset : tables_.datasets) {
      From(preset.provenance);
      const double mean = preset.bytes.value / static_cast<double>(preset.samples);
      if (std::abs(mean / preset.sample_bytes.value - 1) > 0.05)
        Error(preset.provenance, "bytes over samples is not sample_bytes");
    }
  }

 private:
  static std::optional<double> Plain(const std::optional<Bytes>& value) {
    return value ? std::optional(value->value) : std::nullopt;
  }
  static std::optional<double> Plain(const std::optional<BytesPerSecond>& value) {
    return value ? std::optional(value->value) : std::nullopt;
  }

  void GpusOfTopology(const Machine& machine) {
    for (const MachineTopology& topology : tables_.topologies) {
      if (LowerCase(topology.name) != LowerCase(machine.topology)) continue;
      const auto count = static_cast<double>(topology.All(NodeKind::kGpu).size());
      if (count != machine.gpus) {
        Error(machine.provenance, fmt::format("has {:g} GPUs, and its topology '{}' has {:g}", machine.gpus,
                                              topology.name, count));
      }
    }
  }

  void From(const Provenance& from) {
    if (from.sources.empty()) Error(from, "source is empty: say where the values are from");
    const bool shipped = from.file.starts_with("data/");
    for (const std::string& source : from.sources) {
      if (shipped && !sources_.contains(source))
        Error(from, fmt::format("source '{}' is in no table", source));
    }
  }

  void InRange(const Provenance& from, const char* column, std::optional<double> value, double least,
               double most) {
    if (value && (*value < least || *value > most))
      Error(from, fmt::format("{} cannot be meant: check its unit", column));
  }

  void Error(const Provenance& from, const std::string& what) { Add(from, what, true); }
  void Remark(const Provenance& from, const std::string& what) { Add(from, what, false); }
  void Add(const Provenance& from, const std::string& what, bool is_error) {
    problems_.push_back({is_error, fmt::format("{} line {}: {}", from.file, from.line, what)});
  }

  const CatalogTables& tables_;
  std::vector<CatalogProblem>& problems_;
  std::set<std::string> sources_, gpus_, machines_, topologies_;
};

std::size_t RowsOf(const CatalogTables& tables) {
  std::size_t rows = tables.sources.size() + tables.gpus.size() + tables.machines.size() +
                     tables.prices.size() + tables.thresholds.size() + tables.datasets.size();
  for (const AllReduceCurve& curve : tables.curves) rows += curve.segments.size();
  for (const MachineTopology& topology : tables.topologies) rows += topology.edges.size();
  return rows;
}

}  // namespace

CatalogCheck CheckCatalog(const CatalogOptions& options) {
  CatalogCheck check;
  CatalogTables tables;
  const OnBadRow note = [&](const Error& error) { check.problems.push_back({true, error.what()}); };
  const auto read = [&](const auto& reader) {
    ++check.files;
    try {
      reader();
    } catch (const Error& error) {
      note(error);
    }
  };
  if (options.shipped) {
    for (const EmbeddedFile& file : CatalogFiles())
      read([&] { ReadTable(file.text, fmt::format("data/{}", file.name), tables, note); });
  }
  std::vector<std::filesystem::path> files;
  if (options.user_folder) files = UserCatalogFiles(*options.user_folder);
  files.insert(files.end(), options.files.begin(), options.files.end());
  for (const auto& path : files) read([&] { ReadUserFile(path, tables, note); });
  check.rows = RowsOf(tables);
  Checker checker(tables, check.problems);
  checker.Gpus();
  checker.Machines();
  checker.Prices();
  checker.Curves();
  checker.Topologies();
  checker.Datasets();
  return check;
}

}  // namespace stallscope
