#include "stallscope/catalog/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stallscope/base/names.h"

namespace stallscope {
namespace {

struct TableKind {
  const char* name;
  std::vector<std::string> required;  ///< what it is known by
  std::vector<std::string> other;
  void (*read)(const CsvRow& row, CatalogTables& tables);
};

const std::vector<TableKind>& Kinds() {
  static const std::vector<TableKind> kinds = {
      {"sources",
       {"source", "where"},
       {"date"},
       [](const CsvRow& row, CatalogTables& t) { t.sources.push_back(ReadSource(row)); }},
      {"machines",
       {"provider", "machine", "gpu", "gpus"},
       {"gpu_listed",      "gpu_memory_gb",
        "vcpus",           "memory_gib",
        "network_gbps",    "network_baseline_gbps",
        "network_burst",   "fabric",
        "fabric_nics",     "fabric_gbps",
        "gpudirect",       "local_disk_gb",
        "disk_mbs",        "disk_baseline_mbs",
        "interconnect",    "interconnect_one_way_gbs",
        "pcie_generation", "pcie_width",
        "numa_nodes",      "topology",
        "availability",    "last_listed"},
       [](const CsvRow& row, CatalogTables& t) { t.machines.push_back(ReadMachine(row)); }},
      {"prices",
       {"provider", "machine", "region", "date"},
       {"on_demand_usd_hour", "spot_usd_hour", "date_is_latest"},
       [](const CsvRow& row, CatalogTables& t) { t.prices.push_back(ReadPrice(row)); }},
      {"allreduce",
       {"curve", "system", "gpus", "nodes", "collective", "transport", "from_bytes", "to_bytes", "busbw_gbs"},
       {"machine", "gpu", "transport_listed", "latency_us", "latency_low_us", "latency_high_us",
        "intercept_us", "busbw_low_gbs", "busbw_high_gbs", "points", "fit_error"},
       [](const CsvRow& row, CatalogTables& t) { ReadCurveRow(row, t.curves); }},
      {"allreduce_thresholds",
       {"threshold", "gpus", "nodes", "kind", "busbw_gbs"},
       {"transport", "bytes"},
       [](const CsvRow& row, CatalogTables& t) { t.thresholds.push_back(ReadThreshold(row)); }},
      {"topologies",
       {"topology", "from", "to", "kind"},
       {"links", "gbs_one_way"},
       [](const CsvRow& row, CatalogTables& t) { ReadTopologyRow(row, t.topologies); }},
      {"datasets",
       {"dataset", "kind", "samples"},
       {"bytes", "sample_bytes", "classes", "tokens"},
       [](const CsvRow& row, CatalogTables& t) { t.datasets.push_back(ReadDataset(row)); }},
      // The last, because other tables have a column of that name too.
      {"gpus",
       {"gpu"},
       {"fp32_tflops", "fp32_sustained_tflops", "tf32_tflops", "fp16_tflops", "bf16_tflops",
        "bf16_measured_tflops", "memory_gb", "memory_gbs", "pcie_generation", "nvlink", "nvlink_one_way_gbs",
        "year"},
       [](const CsvRow& row, CatalogTables& t) { t.gpus.push_back(ReadGpu(row)); }},
  };
  return kinds;
}

const std::array<std::string, 3> kProvenanceColumns = {"source", "unverified", "note"};

bool Has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const TableKind& KindOf(const CsvTable& table) {
  for (const TableKind& kind : Kinds()) {
    const bool fits = std::all_of(kind.required.begin(), kind.required.end(),
                                  [&](const std::string& name) { return table.ColumnOf(name).has_value(); });
    if (fits) return kind;
  }
  throw Error(fmt::format("{} is no table of the catalog: no table has these columns", table.source()),
              "docs/catalog.md lists the columns; `catalog show NAME --json -` and data/ have examples");
}

void RequireKnownColumns(const CsvTable& table, const TableKind& kind) {
  std::vector<std::string> known = kind.required;
  known.insert(known.end(), kind.other.begin(), kind.other.end());
  known.insert(known.end(), kProvenanceColumns.begin(), kProvenanceColumns.end());
  for (const std::string& column : table.columns()) {
    if (Has(known, column)) continue;
    const auto near = NearestNames(column, known);
    throw Error(fmt::format("{} line 1: a table of {} has no column '{}'", table.source(), kind.name, column),
                near.empty() ? "remove it, or keep it in the column note"
                             : fmt::format("did you mean {}?", JoinAlternatives(near)));
  }
}

}  // namespace

void ThrowBadRow(const Error& complaint) {
  throw complaint;
}

std::string TableOf(const CsvTable& table) {
  return KindOf(table).name;
}

void ReadTable(std::string_view text, const std::string& source, CatalogTables& tables,
               const OnBadRow& on_bad_row) {
  const CsvTable table = CsvTable::Parse(text, source);
  const TableKind& kind = KindOf(table);
  RequireKnownColumns(table, kind);
  for (const CsvTable::Row& row : table.rows()) {
    try {
      kind.read(CsvRow(table, row), tables);
    } catch (const Error& complaint) {
      on_bad_row(complaint);
    }
  }
}

}  // namespace stallscope
