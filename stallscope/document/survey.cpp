#include "stallscope/document/survey.h"

#include "stallscope/document/host_json.h"
#include "stallscope/document/put_optional.h"

namespace stallscope {
namespace {

Json CellToJson(const SurveyCell& cell) {
  Json json = {{"instance", cell.instance},
               {"provider", cell.provider},
               {"model", cell.model},
               {"nodes", cell.nodes},
               {"devices", cell.devices},
               {"batch_per_device", cell.batch_per_device},
               {"basis", cell.basis},
               {"from", cell.from},
               {"step_time_s", ToJson(cell.step_time_s)},
               {"samples_per_s", ToJson(cell.samples_per_s)}};
  Json stalls = Json::object();
  const auto put = [&](const char* key, const std::optional<SurveyStall>& stall) {
    if (stall) stalls[key] = {{"seconds", ToJson(stall->seconds)}, {"share", stall->share}};
  };
  put("compute", cell.compute);
  put("interconnect", cell.interconnect);
  put("network", cell.network);
  put("prep", cell.prep);
  put("fetch", cell.fetch);
  json["stalls"] = stalls;
  Put(json, "epoch_time_s", cell.epoch_time_s);
  Put(json, "epoch_cost_usd", cell.epoch_cost_usd);
  Put(json, "relative_time", cell.relative_time);
  Put(json, "relative_cost", cell.relative_cost);
  return json;
}

Json MachineToJson(const SurveyMachine& machine) {
  Json json = {{"instance", machine.instance},
               {"provider", machine.provider},
               {"gpu", machine.gpu},
               {"gpus", machine.gpus}};
  Put(json, "usd_hour", machine.usd_hour);
  if (machine.usd_hour) json["region"] = machine.region;
  Put(json, "price_date", machine.price_date);
  if (machine.usd_hour) json["price_stale"] = machine.price_stale;
  json["advantages"] = machine.advantages;
  json["shortcomings"] = machine.shortcomings;
  return json;
}

Json BestToJson(const SurveyBest& best, const std::vector<SurveyCell>& cells) {
  Json json = {{"model", best.model}};
  const auto put = [&](const std::string& key, const std::optional<std::size_t>& cell) {
    if (!cell) return;
    json[key] = cells[*cell].instance;
    json[key + "_nodes"] = cells[*cell].nodes;
  };
  put("fastest", best.fastest);
  put("cheapest", best.cheapest);
  return json;
}

}  // namespace

std::string ToJson(const Survey& survey) {
  Json json = {
      {"schema", kSurveySchema},
      {"tool", {{"version", survey.tool.version}}},
      {"created", survey.created},
      {"argv", survey.argv},
      {"host", HostToJson(survey.host)},
      {"seed", 0},  // nothing is drawn; every document has the field
      {"workload", {{"models", survey.models}, {"dtype", survey.dtype}, {"datasets", survey.datasets}}},
      {"machines", Json::array()},
      {"cells", Json::array()},
      {"absent", Json::array()},
      {"best", Json::array()},
      {"notes", survey.notes}};
  for (const SurveyMachine& machine : survey.machines) json["machines"].push_back(MachineToJson(machine));
  for (const SurveyCell& cell : survey.cells) json["cells"].push_back(CellToJson(cell));
  for (const AbsentCell& cell : survey.absent) {
    json["absent"].push_back(
        {{"instance", cell.instance}, {"model", cell.model}, {"nodes", cell.nodes}, {"reason", cell.reason}});
  }
  for (const SurveyBest& best : survey.best) json["best"].push_back(BestToJson(best, survey.cells));
  RequireFinite(json, "");
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stallscope
