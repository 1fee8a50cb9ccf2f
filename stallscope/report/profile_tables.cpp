#include <array>
#include <utility>

#include "stallscope/document/profile.h"
#include "stallscope/report/tables.h"

namespace stallscope {
namespace {

constexpr const char* kMeasured = "measured";

/// The stalls of one total, the parts of a stall below it.
ReportTable StallTable(const char* id, const char* title, const Json* stalls) {
  ReportTable table{
      .id = id, .title = title, .columns = {"stall", "time per step", "share of a step", "note"}};
  if (!stalls) return table;
  const auto add = [&](const std::string& name, const Json& stall) {
    const bool known = stall.value("distinguishable", true);
    table.rows.push_back({WordsCell(name), FieldCell(FieldAt(stall, "seconds"), "seconds", kMeasured),
                          FieldCell(FieldAt(stall, "share"), "share", kMeasured),
                          WordsCell(known ? "" : "indistinguishable from zero")});
  };
  for (const char* name : {"compute", "interconnect", "network", "prep", "fetch"}) {
    const Json* stall = FieldAt(*stalls, name);
    if (!stall) continue;
    add(name, *stall);
    for (const char* part : {"contention", "communication", "copy"}) {
      if (const Json* inner = FieldAt(*stall, part)) add(std::string("of it ") + part, *inner);
    }
  }
  return table;
}

/// The rungs as an array, from the bottom up, each with its name.
Json RungsOf(const Json& document) {
  Json rungs = Json::array();
  const Json* conditions = FieldAt(document, "conditions");
  for (const std::string& name : ConditionNames()) {
    const Json* rung = conditions ? FieldAt(*conditions, name) : nullptr;
    if (!rung) continue;
    Json row = *rung;
    row["rung"] = name;
    rungs.push_back(std::move(row));
  }
  return rungs;
}

/// All buckets of all synchronised rungs.
Json BucketsOf(const Json& rungs) {
  Json buckets = Json::array();
  for (const Json& rung : rungs) {
    int number = 0;
    for (const Json& bucket : rung.value("buckets", Json::array())) {
      Json row = bucket;
      row["rung"] = rung["rung"];
      row["bucket"] = ++number;
      buckets.push_back(std::move(row));
    }
  }
  return buckets;
}

}  // namespace

std::vector<ReportTable> ProfileTables(const Json& document) {
  std::vector<ReportTable> tables;
  const bool epochs = document.contains("first_epoch");
  AddTable(tables, StallTable("stalls", epochs ? "Stalls of the first epoch" : "Stalls",
                              FieldAt(document, "stalls")));
  AddTable(tables, StallTable("steady-stalls", "Stalls of the steady state",
                              FieldAt(document, "steady_state.stalls")));
  AddTable(tables, ArrayTable("findings", "Findings", FieldAt(document, "findings"),
                              {{"severity", "severity"},
                               {"what", "what"},
                               {"why", "why"},
                               {"advice", "advice"},
                               {"saves per step, at most", "saves_s"}},
                              kMeasured));
  const Json rungs = RungsOf(document);
  AddTable(tables, ArrayTable("ladder", "The stall ladder", &rungs,
                              {{"rung", "rung"},
                               {"step time", "step_time_s"},
                               {"rounds", "rounds"},
                               {"steps", "steps"},
                               {"data wait", "parts.data_wait_s"},
                               {"copy", "parts.copy_s"},
                               {"forward", "parts.forward_s"},
                               {"backward", "parts.backward_s"},
                               {"exposed communication", "parts.exposed_communication_s"},
                               {"optimizer", "parts.optimizer_s"},
                               {"transfer of gradients", "communication.transfer_s"},
                               {"waiting for the slowest rank", "communication.skew_s"},
                               {"hidden by backward", "communication.overlap_share"},
                               {"files", "cache"}},
                              kMeasured));
  AddTable(tables, ArrayTable("absent", "Rungs that were not measured", FieldAt(document, "absent"),
                              {{"rung", "condition"}, {"reason", "reason"}}, ""));
  const Json buckets = BucketsOf(rungs);
  AddTable(tables, ArrayTable("buckets", "Gradient buckets, seconds since the step began", &buckets,
                              {{"rung", "rung"},
                               {"bucket", "bucket"},
                               {"size", "bytes"},
                               {"ready", "ready_s"},
                               {"handed over", "begin_s"},
                               {"arrived", "end_s"},
                               {"exposed", "exposed_s"}},
                              kMeasured));
  AddTable(tables, ArrayTable("resources", "What the machines did, per rung", &rungs,
                              {{"rung", "rung"},
                               {"CPU busy, of all cores", "resources.cpu_busy_share"},
                               {"memory used", "resources.memory_used_bytes"},
                               {"page cache", "resources.page_cache_bytes"},
                               {"disk read", "resources.disk_read_bytes_per_s"},
                               {"disk written", "resources.disk_written_bytes_per_s"},
                               {"network received", "resources.network_received_bytes_per_s"},
                               {"network sent", "resources.network_sent_bytes_per_s"},
                               {"GPU busy", "resources.gpu_busy_share"},
                               {"GPU memory", "resources.gpu_memory_bytes"}},
                              kMeasured));
  AddTable(tables, FactsTable("totals", "Totals and loading", document,
                              {"step_time_s", "samples_per_s", "first_epoch", "steady_state.step_time_s",
                               "steady_state.cached_share", "steady_state.room_bytes", "loader_limit_s",
                               "fetch_limit_s", "loader", "optimal", "reference"},
                              kMeasured));
  AddTable(tables, FactsTable("facts", "What was trained, and where these numbers come from", document,
                              {"workload", "cluster", "created", "tool", "argv", "host", "seed", "rounds",
                               "warm_up", "stopped_by", "failure"},
                              kMeasured));
  return tables;
}

}  // namespace stallscope
