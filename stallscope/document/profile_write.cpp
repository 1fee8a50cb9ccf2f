#include "stallscope/document/condition_json.h"
#include "stallscope/document/host_json.h"
#include "stallscope/document/json_fields.h"
#include "stallscope/document/profile.h"
#include "stallscope/document/put_optional.h"

namespace stallscope {
namespace {

Json WorkloadToJson(const WorkloadInfo& workload) {
  Json json = {{"model", workload.model},
               {"parameters", workload.parameters},
               {"gradient_tensors", workload.gradient_tensors},
               {"gradient_bytes", workload.gradient_bytes}};
  Put(json, "layers", workload.layers);
  Put(json, "forward_macs", workload.forward_macs);
  json["batch_per_device"] = workload.batch_per_device;
  json["accumulate"] = workload.accumulate;
  json["optimizer"] = workload.optimizer;
  json["dtype"] = workload.dtype;
  json["bucket"] = workload.bucket;
  Put(json, "image_size", workload.image_size);
  Put(json, "sequence_length", workload.sequence_length);
  Put(json, "loader_workers", workload.loader_workers);
  if (const auto& dataset = workload.dataset) {
    json["dataset"] = {{"path", dataset->path},
                       {"kind", dataset->kind},
                       {"samples", dataset->samples},
                       {"bytes", dataset->bytes}};
  }
  return json;
}

Json ClusterToJson(const ClusterInfo& cluster) {
  Json json = {{"nodes", cluster.nodes},
               {"devices_per_node", cluster.devices_per_node},
               {"device", cluster.device},
               {"backend", cluster.backend},
               {"emulated", cluster.emulated}};
  Put(json, "emulated_bandwidth_bytes_per_s", cluster.emulated_bandwidth_bytes_per_s);
  Put(json, "emulated_disk_bytes_per_s", cluster.emulated_disk_bytes_per_s);
  return json;
}

Json StallToJson(const Stall& stall) {
  return {{"seconds", ToJson(stall.seconds)},
          {"share", ToJson(stall.share)},
          {"distinguishable", stall.distinguishable}};
}

Json StallsToJson(const Stalls& stalls) {
  Json json = Json::object();
  const auto put = [](Json& into, const char* key, const std::optional<Stall>& stall) {
    if (stall) into[key] = StallToJson(*stall);
  };
  put(json, "compute", stalls.compute);
  put(json, "interconnect", stalls.interconnect);
  if (stalls.interconnect) {
    put(json["interconnect"], "contention", stalls.contention);
    put(json["interconnect"], "communication", stalls.communication);
  }
  put(json, "network", stalls.network);
  put(json, "prep", stalls.prep);
  if (stalls.prep) put(json["prep"], "copy", stalls.copy);
  put(json, "fetch", stalls.fetch);
  return json;
}

Json SteadyStateToJson(const SteadyState& steady) {
  Json json = {{"step_time_s", ToJson(steady.step_time_s)}, {"cached_share", steady.cached_share}};
  Put(json, "room_bytes", steady.room_bytes);
  json["stalls"] = StallsToJson(steady.stalls);
  return json;
}

void PutLoading(const Profile& profile, Json& json) {
  Put(json, "loader_limit_s", profile.loader_limit_s);
  Put(json, "fetch_limit_s", profile.fetch_limit_s);
  if (const auto& loader = profile.loader) {
    json["loader"] = {{"read_s", loader->read_s}, {"decode_s", loader->decode_s}, {"bytes", loader->bytes}};
  }
  if (const auto& optimal = profile.optimal) {
    json["optimal"] = Json::object();
    Put(json["optimal"], "workers_per_device", optimal->workers_per_device);
    Put(json["optimal"], "cached_share", optimal->cached_share);
    Put(json["optimal"], "cache_bytes", optimal->cache_bytes);
  }
}

Json FindingToJson(const Finding& finding) {
  Json json = {{"severity", ToString(finding.severity)},
               {"what", finding.what},
               {"why", finding.why},
               {"advice", finding.advice}};
  Put(json, "saves_s", finding.saves_s);
  return json;
}

}  // namespace

std::string ToJson(const Profile& profile) {
  Json json = {{"schema", kProfileSchema}, {"tool", {{"version", profile.tool.version}}}};
  Put(json["tool"], "torch", profile.tool.torch);
  json["created"] = profile.created;
  json["argv"] = profile.argv;
  json["host"] = HostToJson(profile.host);
  json["seed"] = profile.seed;
  json["workload"] = WorkloadToJson(profile.workload);
  json["cluster"] = ClusterToJson(profile.cluster);
  json["conditions"] = Json::object();
  for (const std::string& name : ConditionNames()) {
    const auto found = profile.conditions.find(name);
    if (found != profile.conditions.end()) json["conditions"][name] = ToJson(found->second);
  }
  json["absent"] = Json::array();
  for (const AbsentCondition& absent : profile.absent) {
    json["absent"].push_back({{"condition", absent.condition}, {"reason", absent.reason}});
  }
  json["stalls"] = StallsToJson(profile.stalls);
  json["step_time_s"] = ToJson(profile.step_time_s);
  if (profile.first_epoch) json["first_epoch"] = {{"step_time_s", ToJson(profile.first_epoch->step_time_s)}};
  if (profile.steady_state) json["steady_state"] = SteadyStateToJson(*profile.steady_state);
  PutLoading(profile, json);
  if (const auto& reference = profile.reference) {
    json["reference"] = {{"file", reference->file},
                         {"node_step_time_s", ToJson(reference->node_step_time_s)},
                         {"network", StallToJson(reference->network)}};
  }
  json["samples_per_s"] = ToJson(profile.samples_per_s);
  json["stopped_by"] = profile.stopped_by;
  Put(json, "failure", profile.failure);
  json["rounds"] = {{"kept", profile.rounds_kept},
                    {"dropped", profile.rounds_dropped},
                    {"unverified", profile.rounds_unverified}};
  json["warm_up"] = {{"steps", profile.warm_up_steps}};
  json["findings"] = Json::array();
  for (const Finding& finding : profile.findings) json["findings"].push_back(FindingToJson(finding));
  RequireFinite(json, "");
  // Names and messages may hold any bytes; a document is UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stallscope
