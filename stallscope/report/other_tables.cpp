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
                       {"unit", "unit"},
                       {"expected", "expected"},
                       {"found", "found"},
                       {"share", "share"},
                       {"verdict", "verdict"},
                       {"expected because", "basis"},
                       {"source", "source"}},
                      kMeasured));
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
    AddTable(tables, FactsTable(id + "-fit", "Fit of that curve", curve, {"fit", "no_fit", "point_to_point"},
                                "fitted"));
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
  AddTable(tables, FactsTable("watch", "While it was watched", document, {"watch"}, kMeasured));
  AddTable(tables, FactsTable("facts", "The machine, and where these numbers come from", document,
                              {"cloud", "topology", "host", "steal_share", "rounds", "stopped_by", "created",
                               "tool", "argv", "seed"},
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
  AddTable(tables, FactsTable("rules", "Rules without a model would err by", document,
                              {"perfect_scaling_mape", "constant_mape", "unpredicted"}, "computed"));
  AddTable(tables,
           ArrayTable("groups", "Errors by group", FieldAt(document, "groups"), measures, "computed"));
  AddTable(tables, ArrayTable("rows", "Every row", FieldAt(document, "rows"),
                              {{"line", "line"},
                               {"series", "series"},
                               {"network", "network"},
                               {"gpu", "gpu"},
                               {"machines", "nodes"},
                               {"GPUs", "total_gpus"},
                               {"given", "known"},
                               {"published, samples/s", "measured"},
                               {"predicted, samples/s", "predicted"},
                               {"low", "low"},
                               {"high", "high"},
                               {"error", "error"},
                               {"rests on", "basis"},
                               {"no prediction because", "reason"},
                               {"source", "source"},
                               {"assumed", "assumed"}},
                              ""));
  AddTable(tables, FactsTable("parameters", "Parameters", document, {"parameters"}, "fitted"));
  AddTable(tables, FactsTable("facts", "Where these numbers come from", document,
                              {"file", "mode", "left_out_by", "created", "tool", "argv", "host"}, ""));
  return tables;
}

}  // namespace stallscope
