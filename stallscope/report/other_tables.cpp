#include <fmt/format.h>

#include <utility>

#include "stallscope/report/tables.h"

namespace stallscope {
namespace {

constexpr const char* kMeasured = "measured";

/// A comparison's times as rows: the step, its stalls, and their parts.
Json ComparedRows(const Json& other) {
  Json rows = Json::array();
  const auto add = [&](const std::string& name, const Json& time) {
    Json row = time;
    row["name"] = name;
    rows.push_back(std::move(row));
  };
  if (const Json* total = FieldAt(other, "total")) add("step time", *total);
  const Json* stalls = FieldAt(other, "stalls");
  if (!stalls) return rows;
  for (const auto& [name, stall] : stalls->items()) {
    add(name, stall);
    for (const char* part : {"contention", "communication", "copy"}) {
      if (const Json* inner = FieldAt(stall, part)) add(std::string("of it ") + part, *inner);
    }
  }
  return rows;
}

/// Where a field's name would say the wrong unit.
Json Renamed(const Json* array, const char* from, const char* to) {
  Json rows = array ? *array : Json::array();
  for (Json& row : rows) row[to] = row[from];
  return rows;
}

/// A validation's rows with their rates as the other tables have them: an estimate in a unit.
Json RowsWithRates(const Json& document) {
  Json rows = document.value("rows", Json::array());
  for (Json& row : rows) {
    if (row.contains("measured")) row["measured_samples_per_s"] = row["measured"];
    if (!row.contains("predicted")) continue;
    row["predicted_samples_per_s"] = {{"mean", row["predicted"]},
                                      {"low", row.value("low", row["predicted"])},
                                      {"high", row.value("high", row["predicted"])}};
  }
  return rows;
}

/// The parameters of every fit of a validation, one a row.
Json ParameterRows(const Json& document) {
  Json rows = Json::array();
  for (const Json& fit : document.value("parameters", Json::array())) {
    for (Json row : fit.value("values", Json::array())) {
      row["estimate"] = {{"mean", row["value"]}, {"low", row["low"]}, {"high", row["high"]}};
      for (const char* field : {"left_out", "rows", "interval_factor"}) {
        if (fit.contains(field)) row[field] = fit[field];
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace

std::vector<ReportTable> ComparisonTables(const Json& document) {
  std::vector<ReportTable> tables;
  int number = 0;
  for (const Json& other : document.value("others", Json::array())) {
    const Json rows = ComparedRows(other);
    AddTable(tables, ArrayTable(fmt::format("other-{}", ++number),
                                fmt::format("{} against {}", other.value("file", ""),
                                            document["baseline"].value("file", "")),
                                &rows,
                                {{"time", "name"},
                                 {"baseline", "baseline_s"},
                                 {"this", "other_s"},
                                 {"difference", "difference_s"},
                                 {"share of the baseline's step", "relative"},
                                 {"verdict", "verdict"},
                                 {"reason", "reason"}},
                                kMeasured));
  }
  AddTable(tables, FactsTable("facts", "What was compared", document,
                              {"baseline", "created", "tool", "argv", "host"}, ""));
  return tables;
}

std::vector<ReportTable> MachineTables(const Json& document) {
  std::vector<ReportTable> tables;
  AddTable(tables,
           ArrayTable("expectation", "Against what was expected", FieldAt(document, "expectation.lines"),
                      {{"quantity", "quantity"},
                       {"expected", "expected", "", "unit"},
                       {"found", "found", kMeasured, "unit"},
                       {"share", "share", "computed"},
                       {"verdict", "verdict"},
                       {"expected because", "basis"},
                       {"source", "source"}},
                      kOwnBasis));
  AddTable(tables, FactsTable("rates", "Decoding and memory", document, {"decode", "memory"}, kMeasured));
  AddTable(tables, ArrayTable("disk", "Reads from the disk", FieldAt(document, "disk.reads"),
                              {{"pattern", "pattern"},
                               {"request", "request_bytes"},
                               {"in flight", "depth"},
                               {"rate", "bytes_per_s"},
                               {"latency", "latency_s"}},
                              kMeasured));
  int number = 0;
  for (const Json& curve : document.value("collectives", Json::array())) {
    const std::string where =
        fmt::format("{} over {} ranks of the {}, {}", curve.value("collective", ""), curve.value("ranks", 0),
                    curve.value("where", ""), curve.value("backend", ""));
    const std::string id = fmt::format("curve-{}", ++number);
    AddTable(tables, ArrayTable(id, where, FieldAt(curve, "points"),
                                {{"message", "bytes"},
                                 {"time", "time_s"},
                                 {"algorithm rate", "algorithm_bytes_per_s"},
                                 {"bus rate", "bus_bytes_per_s"}},
                                kMeasured));
    AddTable(tables, FactsTable(id + "-fit", "Fit of that curve", curve,
                                {"fit.latency_s", "fit.bytes_per_s", "fit.trips_per_step", "fit.median_error",
                                 "fit.worst_error", "no_fit", "point_to_point"},
                                "fitted"));
    AddTable(tables,
             ArrayTable(id + "-segments", "Fit by the size of the message", FieldAt(curve, "fit.segments"),
                        {{"from", "from_bytes"},
                         {"to", "to_bytes"},
                         {"latency", "latency_s"},
                         {"bandwidth", "bytes_per_s"}},
                        "fitted"));
    AddTable(tables, ArrayTable(id + "-absent", "Sizes that were left out", FieldAt(curve, "absent"),
                                {{"message", "bytes"}, {"reason", "reason"}}, ""));
  }
  AddTable(tables, ArrayTable("gpus", "GPUs", FieldAt(document, "gpus"),
                              {{"name", "name"},
                               {"memory", "memory_bytes"},
                               {"address", "address"},
                               {"PCIe generation", "pcie_generation"},
                               {"lanes", "pcie_width"}},
                              "reported"));
  AddTable(tables, ArrayTable("interfaces", "Network interfaces", FieldAt(document, "interfaces"),
                              {{"name", "name"},
                               {"rate", "bytes_per_s"},
                               {"MTU", "mtu"},
                               {"driver", "driver"},
                               {"state", "state"},
                               {"virtual", "virtual"}},
                              "reported"));
  AddTable(tables, ArrayTable("absent", "What was not measured", FieldAt(document, "absent"),
                              {{"part", "part"}, {"reason", "reason"}}, ""));
  const Json drifts = Renamed(FieldAt(document, "watch.drifts"), "change", "relative");
  AddTable(tables, ArrayTable("drifts", "What drifted while it was watched", &drifts,
                              {{"quantity", "quantity"}, {"change", "relative"}}, kMeasured));
  const Json outliers = Renamed(FieldAt(document, "watch.outliers"), "median", "usual");
  AddTable(tables,
           ArrayTable(
               "outliers", "What stood out while it was watched", &outliers,
               {{"quantity", "quantity"}, {"after", "at_s"}, {"value", "value"}, {"median of all", "usual"}},
               kMeasured));
  AddTable(tables, ArrayTable("caches", "Caches", FieldAt(document, "topology.caches"),
                              {{"level", "level"},
                               {"type", "type"},
                               {"size", "bytes"},
                               {"how many", "count"},
                               {"threads that share one", "threads"}},
                              "reported"));
  AddTable(tables, ArrayTable("pci", "PCI devices", FieldAt(document, "topology.pci_devices"),
                              {{"address", "address"},
                               {"kind", "kind"},
                               {"id", "id"},
                               {"devices", "devices"},
                               {"NUMA node", "numa_node"},
                               {"link", "link_bytes_per_s"}},
                              "reported"));
  AddTable(tables, FactsTable("facts", "The machine, and where these numbers come from", document,
                              {"cloud", "topology.packages", "topology.numa_nodes", "topology.cores",
                               "topology.threads", "topology.memory_bytes", "host", "watch.duration_s",
                               "steal_share", "rounds", "stopped_by", "created", "tool", "argv", "seed"},
                              "reported"));
  return tables;
}

std::vector<ReportTable> ValidationTables(const Json& document) {
  std::vector<ReportTable> tables;
  const std::vector<FieldColumn> measures = {{"by", "by"},
                                             {"name", "name"},
                                             {"rows", "rows"},
                                             {"series", "series"},
                                             {"mean absolute error", "mape"},
                                             {"median", "median"},
                                             {"90th percentile", "percentile90"},
                                             {"bias", "bias"},
                                             {"inside the interval", "coverage"},
                                             {"half width", "half_width"}};
  const auto named = [&](const char* field, const char* name) {
    Json row = document[field];
    row["by"] = "all";
    row["name"] = name;
    return row;
  };
  Json totals = Json::array();
  if (document.contains("all_reduce")) totals.push_back(named("all_reduce", "gradients all-reduced"));
  if (document.contains("several_nodes")) totals.push_back(named("several_nodes", "on several machines"));
  for (const Json& apart : document.value("apart", Json::array())) totals.push_back(apart);
  AddTable(tables, ArrayTable("errors", "How far predictions are off", &totals, measures, "computed"));
  Json rules = Json::array();
  for (const auto& [field, rule] : {std::pair{"perfect_scaling_mape", "n times the GPUs are n times as fast"},
                                    {"constant_mape", "0.95 of that for every doubling"}}) {
    if (document.contains(field)) rules.push_back({{"rule", rule}, {"mape", document[field]}});
  }
  AddTable(tables, ArrayTable("rules", "What rules without a model would err by", &rules,
                              {{"rule", "rule"}, {"mean absolute error", "mape"}}, "computed"));
  AddTable(tables,
           ArrayTable("groups", "Errors by group", FieldAt(document, "groups"), measures, "computed"));
  const Json rows = RowsWithRates(document);
  AddTable(tables, ArrayTable("rows", "Every row", &rows,
                              {{"line", "line"},
                               {"series", "series"},
                               {"network", "network"},
                               {"gpu", "gpu"},
                               {"machines", "nodes"},
                               {"GPUs", "total_gpus"},
                               {"given", "known"},
                               {"published", "measured_samples_per_s", "published"},
                               {"predicted", "predicted_samples_per_s", "predicted"},
                               {"error", "error", "computed"},
                               {"rests on", "basis"},
                               {"no prediction because", "reason"},
                               {"source", "source"},
                               {"assumed", "assumed"}},
                              ""));
  const Json parameters = ParameterRows(document);
  AddTable(tables, ArrayTable("parameters", "Parameters", &parameters,
                              {{"fitted without", "left_out"},
                               {"parameter", "name"},
                               {"value", "estimate", "", "unit"},
                               {"rows", "rows"},
                               {"intervals widened by", "interval_factor"}},
                              "fitted"));
  AddTable(tables,
           FactsTable("facts", "Where these numbers come from", document,
                      {"file", "mode", "left_out_by", "unpredicted", "created", "tool", "argv", "host"}, ""));
  return tables;
}

}  // namespace stallscope
