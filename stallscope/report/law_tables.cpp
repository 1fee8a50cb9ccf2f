#include <fmt/format.h>

#include <utility>

#include "stallscope/report/tables.h"

namespace stallscope {
namespace {

constexpr const char* kMeasured = "measured";
constexpr const char* kFitted = "fitted";
constexpr const char* kComputed = "computed";

/// Rows of one table from objects of the errors, each with a name.
Json ErrorRows(const Json& document) {
  Json rows = Json::array();
  const auto add = [&](const std::string& form, const std::string& where, const Json* errors) {
    if (!errors) return;
    Json row = *errors;
    row["form"] = form;
    row["where"] = where;
    rows.push_back(std::move(row));
  };
  add("law", "all, its network left out", FieldAt(document, "errors.law"));
  add("macroscopic", "all, its network left out", FieldAt(document, "errors.macroscopic"));
  add("law", "all, fitted", FieldAt(document, "errors.law_fitted"));
  for (const auto& [list, by] : {std::pair{"errors.by_link", "link"}, {"errors.by_bucket", "bucket"}}) {
    const Json* groups = FieldAt(document, list);
    if (!groups) continue;
    for (const Json& group : *groups) {
      add("law", group.value(by, ""), FieldAt(group, "law"));
      add("macroscopic", group.value(by, ""), FieldAt(group, "macroscopic"));
    }
  }
  return rows;
}

Json DepthRows(const Json& document) {
  Json rows = Json::array();
  for (const Json& depth : document.value("depth", Json::array())) {
    for (Json row : depth.value("rows", Json::array())) {
      for (const char* key : {"bucket", "link", "ranks"}) row[key] = depth[key];
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::vector<FieldColumn> Placed(std::vector<FieldColumn> columns, std::vector<FieldColumn> more) {
  for (const char* key : {"bucket", "link", "ranks"}) columns.push_back({key, key});
  columns.insert(columns.end(), more.begin(), more.end());
  return columns;
}

}  // namespace

std::vector<ReportTable> LawTables(const Json& document) {
  std::vector<ReportTable> tables;
  AddTable(tables,
           ArrayTable("coefficients", "Coefficients of the law", FieldAt(document, "coefficients"),
                      {{"coefficient", "name"}, {"unit", "unit"}, {"value", "value"}, {"meaning", "meaning"}},
                      kFitted));
  const Json errors = ErrorRows(document);
  AddTable(tables, ArrayTable("errors", "Errors of the stall, as shares of step time", &errors,
                              {{"form", "form"},
                               {"of", "where"},
                               {"points", "points"},
                               {"networks", "networks"},
                               {"median", "median"},
                               {"90th percentile", "percentile90"},
                               {"worst", "worst"},
                               {"bias", "bias"}},
                              kComputed));
  AddTable(tables, ArrayTable("slopes", "Stall per layer, the same gradient bytes in more layers",
                              FieldAt(document, "depth"),
                              Placed({}, {{"per layer", "per_layer_s"},
                                          {"differs from zero", "distinguishable"},
                                          {"growth of the step", "growth"}}),
                              kMeasured));
  const Json depth = DepthRows(document);
  AddTable(tables, ArrayTable("depth", "Stall against layers", &depth,
                              Placed({{"layers", "layers"}}, {{"network", "network"},
                                                              {"all-reduces", "all_reduces"},
                                                              {"stall", "stall_s"},
                                                              {"law", "law_s", kComputed}}),
                              kMeasured));
  AddTable(tables, ArrayTable("extrapolation", "The law of small networks, on larger ones",
                              FieldAt(document, "extrapolation.rows"),
                              Placed({{"network", "network"}}, {{"stall", "stall_s", kMeasured},
                                                                {"predicted", "predicted_s"},
                                                                {"error of the stall", "error"},
                                                                {"of the step", "error_of_step"}}),
                              kComputed));
  AddTable(tables, ArrayTable("statements", "What dominates where", FieldAt(document, "statements"),
                              {{"statement", "text"}}, kComputed));
  AddTable(tables, ArrayTable("macroscopic", "Macroscopic form: base + per layer + per gradient byte",
                              FieldAt(document, "macroscopic"),
                              Placed({}, {{"points", "points"},
                                          {"base", "base_s"},
                                          {"per layer", "per_layer_s"},
                                          {"per byte", "per_byte_s"}}),
                              kFitted));
  AddTable(tables, ArrayTable("points", "Every point", FieldAt(document, "points"),
                              Placed({{"network", "network"}},
                                     {{"all-reduces", "all_reduces"},
                                      {"rounds", "rounds"},
                                      {"compute", "compute_s"},
                                      {"step", "step_time_s"},
                                      {"stall", "stall_s"},
                                      {"law, left out", "law_left_out.stall_s", kComputed},
                                      {"error of step", "law_left_out.error", kComputed},
                                      {"macroscopic error", "macroscopic_left_out.error", kComputed},
                                      {"wire", "parts.wire_s", kComputed},
                                      {"calls", "parts.calls_s", kComputed},
                                      {"processors", "parts.processors_s", kComputed},
                                      {"stragglers", "parts.stragglers_s", kComputed},
                                      {"hidden", "parts.hidden_s", kComputed}}),
                              kMeasured));
  AddTable(tables, ArrayTable("networks", "Networks", FieldAt(document, "networks"),
                              {{"network", "name"},
                               {"family", "family"},
                               {"layers", "layers"},
                               {"gradient tensors", "gradient_tensors"},
                               {"gradients", "gradient_bytes"},
                               {"parameters", "parameters"},
                               {"batch", "batch"},
                               {"image size", "image_size"},
                               {"sequence length", "sequence_length"}},
                              ""));
  AddTable(tables, ArrayTable("missing", "What was not measured", FieldAt(document, "sweep.missing"),
                              Placed({{"network", "network"}}, {{"reason", "reason"}}), ""));
  AddTable(tables, FactsTable("facts", "Where these numbers come from", document,
                              {"sweep.planned_points", "sweep.measured_points", "sweep.seconds", "created",
                               "tool", "argv", "host", "seed"},
                              ""));
  return tables;
}

}  // namespace stallscope
