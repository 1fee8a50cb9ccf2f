#include <fmt/format.h>

#include <utility>

#include "stallscope/report/tables.h"

namespace stallscope {
namespace {

constexpr const char* kPredicted = "predicted";
constexpr const char* kPublished = "published";

/// The items of an array that another array of the document names by their places.
Json Picked(const Json& document, const char* places, const char* array) {
  Json rows = Json::array();
  const Json items = document.value(array, Json::array());
  for (const Json& place : document.value(places, Json::array())) {
    const auto index = place.get<std::size_t>();
    if (index < items.size()) rows.push_back(items[index]);
  }
  return rows;
}

std::vector<FieldColumn> CandidateColumns() {
  return {{"machine", "instance"},
          {"machines", "nodes"},
          {"market", "market"},
          {"region", "region"},
          {"GPU", "gpu"},
          {"devices", "devices"},
          {"batch per device", "batch_per_device"},
          {"time", "hours"},
          {"cost", "cost_usd"},
          {"probability in time", "probability_in_time"},
          {"probability in budget", "probability_in_budget"},
          {"rate", "samples_per_s"},
          {"step", "step_time_s"},
          {"compute", "stalls.compute_s"},
          {"interconnect", "stalls.interconnect_s"},
          {"network", "stalls.network_s"},
          {"prep", "stalls.prep_s"},
          {"fetch", "stalls.fetch_s"},
          {"price", "usd_hour", kPublished},
          {"price of", "price_date"},
          {"pays for", "pays_for"},
          {"basis", "basis"},
          {"from", "from"}};
}

/// Stalls of a candidate are plain seconds; their names say so here, for the unit.
Json WithUnits(Json candidates) {
  for (Json& candidate : candidates) {
    const Json plain = candidate.value("stalls", Json::object());
    Json stalls = Json::object();
    for (const auto& [name, value] : plain.items()) stalls[name + "_s"] = value;
    candidate["stalls"] = std::move(stalls);
  }
  return candidates;
}

Json Closest(const Json& document) {
  Json rows = Json::array();
  const Json candidates = document.value("candidates", Json::array());
  for (const Json& near : document.value("closest", Json::array())) {
    const auto index = near.value("candidate", candidates.size());
    if (index >= candidates.size()) continue;
    Json row = near;
    row["instance"] = candidates[index].value("instance", "");
    row["nodes"] = candidates[index].value("nodes", 1);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::vector<ReportTable> PredictionTables(const Json& document) {
  std::vector<ReportTable> tables;
  AddTable(tables, ArrayTable("machines", "Predicted", FieldAt(document, "machines"),
                              {{"machine", "instance"},
                               {"machines", "nodes"},
                               {"GPU", "gpu"},
                               {"devices per machine", "devices_per_node"},
                               {"step time", "step_time_s"},
                               {"rate", "samples_per_s"},
                               {"compute", "stalls.compute.seconds"},
                               {"interconnect", "stalls.interconnect.seconds"},
                               {"network", "stalls.network.seconds"},
                               {"prep", "stalls.prep.seconds"},
                               {"fetch", "stalls.fetch.seconds"},
                               {"an epoch takes", "epoch_time_s"},
                               {"an epoch costs", "epoch_cost_usd"},
                               {"price", "price.usd_per_hour", kPublished},
                               {"price of", "price.date"},
                               {"basis", "basis"},
                               {"links", "description"},
                               {"assumed", "assumed"}},
                              kPredicted));
  AddTable(
      tables,
      ArrayTable("refused", "Machines that cannot", FieldAt(document, "refused"),
                 {{"machine", "instance"}, {"machines", "nodes"}, {"reason", "reason"}, {"fix", "fix"}}, ""));
  AddTable(tables, FactsTable("facts", "The workload, and where these numbers come from", document,
                              {"workload", "created", "tool", "argv", "host"}, ""));
  return tables;
}

std::vector<ReportTable> RecommendationTables(const Json& document) {
  std::vector<ReportTable> tables;
  const Json best = WithUnits(Picked(document, "top", "candidates"));
  AddTable(tables, ArrayTable("top", "The best, one of each machine and market", &best, CandidateColumns(),
                              kOwnBasis));
  const Json closest = Closest(document);
  AddTable(tables, ArrayTable("closest", "Nothing fits; these come closest", &closest,
                              {{"machine", "instance"},
                               {"machines", "nodes"},
                               {"missing", "missing"},
                               {"would fit with", "would_fit"}},
                              ""));
  AddTable(tables, FactsTable("next", "What to measure next", document, {"next_measurement"}, kPredicted));
  const Json all = WithUnits(document.value("candidates", Json::array()));
  AddTable(tables, ArrayTable("candidates", "All candidates", &all, CandidateColumns(), kOwnBasis));
  AddTable(tables, ArrayTable("rejected", "Rejected", FieldAt(document, "rejected"),
                              {{"machine", "instance"},
                               {"provider", "provider"},
                               {"machines", "nodes"},
                               {"reason", "reason"},
                               {"detail", "detail"}},
                              ""));
  AddTable(tables, FactsTable("facts", "The question, and where these numbers come from", document,
                              {"workload", "question", "money", "considered", "notes", "created", "tool",
                               "argv", "host"},
                              ""));
  return tables;
}

std::vector<ReportTable> SurveyTables(const Json& document) {
  std::vector<ReportTable> tables;
  AddTable(tables, ArrayTable("best", "The best of each network", FieldAt(document, "best"),
                              {{"network", "model"},
                               {"fastest", "fastest"},
                               {"machines of it", "fastest_nodes"},
                               {"cheapest", "cheapest"},
                               {"machines of it", "cheapest_nodes"}},
                              ""));
  AddTable(tables, ArrayTable("cells", "Every machine and network", FieldAt(document, "cells"),
                              {{"network", "model"},
                               {"machine", "instance"},
                               {"machines", "nodes"},
                               {"devices", "devices"},
                               {"step time", "step_time_s"},
                               {"rate", "samples_per_s"},
                               {"interconnect", "stalls.interconnect.share"},
                               {"network stall", "stalls.network.share"},
                               {"prep", "stalls.prep.share"},
                               {"fetch", "stalls.fetch.share"},
                               {"an epoch takes", "epoch_time_s"},
                               {"an epoch costs", "epoch_cost_usd"},
                               {"time against the best", "relative_time"},
                               {"cost against the best", "relative_cost"},
                               {"basis", "basis"},
                               {"from", "from"}},
                              kOwnBasis));
  AddTable(
      tables,
      ArrayTable("absent", "What could not be had", FieldAt(document, "absent"),
                 {{"network", "model"}, {"machine", "instance"}, {"machines", "nodes"}, {"reason", "reason"}},
                 ""));
  AddTable(tables, ArrayTable("machines", "Machines", FieldAt(document, "machines"),
                              {{"machine", "instance"},
                               {"provider", "provider"},
                               {"GPU", "gpu"},
                               {"GPUs", "gpus"},
                               {"price", "usd_hour"},
                               {"price of", "price_date"},
                               {"advantages", "advantages"},
                               {"shortcomings", "shortcomings"}},
                              kPublished));
  AddTable(tables, FactsTable("facts", "Where these numbers come from", document,
                              {"workload", "notes", "created", "tool", "argv", "host"}, ""));
  return tables;
}

}  // namespace stallscope
