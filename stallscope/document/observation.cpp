#include "stallscope/document/observation.h"

#include "stallscope/document/host_json.h"
#include "stallscope/document/json_fields.h"

namespace stallscope {
namespace {

Json PartToJson(const ObservedPart& part) {
  return {{"seconds", ToJson(part.seconds)}, {"share", ToJson(part.share)}};
}

}  // namespace

std::string ToJson(const Observation& observation) {
  Json json;
  json["schema"] = kObservationSchema;
  json["tool"]["version"] = observation.tool.version;
  json["created"] = observation.created;
  json["argv"] = observation.argv;
  json["host"] = HostToJson(observation.host);
  json["seed"] = 0;
  json["program"] = observation.program;
  json["ranks"] = observation.ranks;
  json["finished"] = observation.finished;
  if (observation.exit_status) json["exit_status"] = *observation.exit_status;
  json["steps"] = observation.steps;
  json["observed_s"] = observation.observed_s;
  if (observation.step_time_s) json["step_time_s"] = ToJson(*observation.step_time_s);
  json["parts"] = Json::object();
  const auto put = [&](const char* name, const std::optional<ObservedPart>& part) {
    if (part) json["parts"][name] = PartToJson(*part);
  };
  put("data_wait", observation.data_wait);
  put("copy", observation.copy);
  put("forward", observation.forward);
  put("backward", observation.backward);
  put("exposed_communication", observation.exposed_communication);
  put("skew", observation.skew);
  put("optimizer", observation.optimizer);
  if (observation.hook) json["hook"] = PartToJson(*observation.hook);
  RequireFinite(json, "");
  return json.dump(2) + "\n";
}

}  // namespace stallscope
