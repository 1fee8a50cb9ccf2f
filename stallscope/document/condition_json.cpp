#include "stallscope/document/condition_json.h"

#include "stallscope/document/put_optional.h"

namespace stallscope {
namespace {

Json ResourcesToJson(const ResourceInfo& resources) {
  Json json = Json::object();
  Put(json, "cpu_busy_share", resources.cpu_busy_share);
  Put(json, "memory_used_bytes", resources.memory_used_bytes);
  Put(json, "page_cache_bytes", resources.page_cache_bytes);
  Put(json, "disk_read_bytes_per_s", resources.disk_read_bytes_per_s);
  Put(json, "disk_written_bytes_per_s", resources.disk_written_bytes_per_s);
  Put(json, "network_received_bytes_per_s", resources.network_received_bytes_per_s);
  Put(json, "network_sent_bytes_per_s", resources.network_sent_bytes_per_s);
  Put(json, "gpu_busy_share", resources.gpu_busy_share);
  Put(json, "gpu_memory_bytes", resources.gpu_memory_bytes);
  return json;
}

ResourceInfo ReadResources(const JsonFields& fields) {
  return {.cpu_busy_share = fields.OptionalNumber("cpu_busy_share"),
          .memory_used_bytes = fields.OptionalNumber("memory_used_bytes"),
          .page_cache_bytes = fields.OptionalNumber("page_cache_bytes"),
          .disk_read_bytes_per_s = fields.OptionalNumber("disk_read_bytes_per_s"),
          .disk_written_bytes_per_s = fields.OptionalNumber("disk_written_bytes_per_s"),
          .network_received_bytes_per_s = fields.OptionalNumber("network_received_bytes_per_s"),
          .network_sent_bytes_per_s = fields.OptionalNumber("network_sent_bytes_per_s"),
          .gpu_busy_share = fields.OptionalNumber("gpu_busy_share"),
          .gpu_memory_bytes = fields.OptionalNumber("gpu_memory_bytes")};
}

}  // namespace

Json ToJson(const ConditionInfo& condition) {
  const StepParts& parts = condition.parts;
  Json json = {{"step_time_s", ToJson(condition.step_time_s)},
               {"rounds", condition.rounds},
               {"steps", condition.steps},
               {"parts",
                {{"data_wait_s", parts.data_wait_s},
                 {"copy_s", parts.copy_s},
                 {"forward_s", parts.forward_s},
                 {"backward_s", parts.backward_s},
                 {"exposed_communication_s", parts.exposed_communication_s},
                 {"optimizer_s", parts.optimizer_s}}}};
  if (condition.communication) {
    json["communication"] = {{"transfer_s", condition.communication->transfer_s},
                             {"skew_s", condition.communication->skew_s},
                             {"overlap_share", condition.communication->overlap_share}};
  }
  for (const BucketInfo& bucket : condition.buckets) {
    json["buckets"].push_back({{"bytes", bucket.bytes},
                               {"ready_s", bucket.ready_s},
                               {"begin_s", bucket.begin_s},
                               {"end_s", bucket.end_s},
                               {"exposed_s", bucket.exposed_s}});
  }
  if (condition.resources) json["resources"] = ResourcesToJson(*condition.resources);
  Put(json, "cache", condition.cache);
  return json;
}

ConditionInfo ConditionFromJson(const JsonFields& fields) {
  const JsonFields parts = fields.Object("parts");
  ConditionInfo condition{.step_time_s = fields.Interval("step_time_s"),
                          .rounds = fields.SmallInteger("rounds"),
                          .steps = fields.SmallInteger("steps"),
                          .parts = {.data_wait_s = parts.Number("data_wait_s"),
                                    .copy_s = parts.Number("copy_s"),
                                    .forward_s = parts.Number("forward_s"),
                                    .backward_s = parts.Number("backward_s"),
                                    .exposed_communication_s = parts.Number("exposed_communication_s"),
                                    .optimizer_s = parts.Number("optimizer_s")},
                          .communication = std::nullopt,
                          .buckets = {},
                          .resources = std::nullopt,
                          .cache = fields.OptionalText("cache")};
  if (const auto communication = fields.OptionalObject("communication")) {
    condition.communication = CommunicationInfo{.transfer_s = communication->Number("transfer_s"),
                                                .skew_s = communication->Number("skew_s"),
                                                .overlap_share = communication->Number("overlap_share")};
  }
  if (fields.Has("buckets")) {
    for (const JsonFields& bucket : fields.Objects("buckets")) {
      condition.buckets.push_back({.bytes = bucket.Integer("bytes"),
                                   .ready_s = bucket.Number("ready_s"),
                                   .begin_s = bucket.Number("begin_s"),
                                   .end_s = bucket.Number("end_s"),
                                   .exposed_s = bucket.Number("exposed_s")});
    }
  }
  if (const auto resources = fields.OptionalObject("resources")) {
    condition.resources = ReadResources(*resources);
  }
  return condition;
}

}  // namespace stallscope
