#include "stallscope/engine/messages.h"

#include <nlohmann/json.hpp>

#include "stallscope/base/error.h"

namespace stallscope {

using nlohmann::json;

// Both ends are built from one tree, so the plain enumerator values travel.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BucketTimes, bytes, ready_s, begin_s, end_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StepRecord, start_s, data_wait_s, copy_s, forward_s, backward_s,
                                   exposed_communication_s, optimizer_s, total_s, loss, buckets)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DataConfig, path, workers, max_bad, follow)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Injection, slow_rank_s, least_sample_s, storage_bytes_per_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InputRecord, state, verified, reason, worth_a_retry, samples, read_s,
                                   decode_s, bytes, bytes_taken, device_bytes, bad_samples, change)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BlockRequest, ranks, sync, data, steps, record, turn, train, decode,
                                   sample_every_s, inject)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MeetingConfig, kind, file, host, port, timeout_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CollectiveFacts, torch_version, backend)

namespace {

template <typename T>
void PutOptional(json& object, const char* name, const std::optional<T>& value) {
  if (value) object[name] = *value;
}

template <typename T>
void GetOptional(const json& object, const char* name, std::optional<T>& value) {
  if (object.contains(name)) value = object.at(name).get<T>();
}

/// Every optional field of a sample with its name.
template <typename Sample, typename Visit>
void VisitFields(Sample& sample, Visit visit) {
  visit("cpu_busy_s", sample.cpu_busy_s);
  visit("disk_read_bytes", sample.disk_read_bytes);
  visit("disk_written_bytes", sample.disk_written_bytes);
  visit("network_received_bytes", sample.network_received_bytes);
  visit("network_sent_bytes", sample.network_sent_bytes);
  visit("memory_used_bytes", sample.memory_used_bytes);
  visit("page_cache_bytes", sample.page_cache_bytes);
  visit("gpu_busy_share", sample.gpu_busy_share);
  visit("gpu_memory_bytes", sample.gpu_memory_bytes);
}

json SampleToJson(const ResourceSample& sample) {
  json object = {{"time_s", sample.time_s}};
  VisitFields(sample, [&](const char* name, const auto& value) { PutOptional(object, name, value); });
  return object;
}

ResourceSample SampleFromJson(const json& object) {
  ResourceSample sample{.time_s = object.at("time_s")};
  VisitFields(sample, [&](const char* name, auto& value) { GetOptional(object, name, value); });
  return sample;
}

TrainingConfig TrainingConfigFromJson(const json& object) {
  TrainingConfig config;
  config.model = object.at("model");
  if (object.contains("torchscript")) {
    const json& script = object.at("torchscript");
    config.torchscript = TorchscriptConfig{.file = script.at("file"),
                                           .sample_shape = script.at("sample_shape"),
                                           .classes = script.at("classes")};
    GetOptional(script, "vocabulary", config.torchscript->vocabulary);
  }
  GetOptional(object, "image_size", config.image_size);
  GetOptional(object, "sequence_length", config.sequence_length);
  GetOptional(object, "classes", config.classes);
  config.batch = object.at("batch");
  config.accumulate = object.at("accumulate");
  config.optimizer = object.at("optimizer");
  config.dtype = object.at("dtype");
  config.bucket = object.at("bucket");
  config.broadcast_buffers = object.at("broadcast_buffers");
  config.seed = object.at("seed");
  return config;
}

}  // namespace

json ToJson(const TrainingConfig& config) {
  json object = {{"model", config.model},
                 {"batch", config.batch},
                 {"accumulate", config.accumulate},
                 {"optimizer", config.optimizer},
                 {"dtype", config.dtype},
                 {"bucket", config.bucket},
                 {"broadcast_buffers", config.broadcast_buffers},
                 {"seed", config.seed}};
  if (config.torchscript) {
    json& script = object["torchscript"];
    script = {{"file", config.torchscript->file},
              {"sample_shape", config.torchscript->sample_shape},
              {"classes", config.torchscript->classes}};
    PutOptional(script, "vocabulary", config.torchscript->vocabulary);
  }
  PutOptional(object, "image_size", config.image_size);
  PutOptional(object, "sequence_length", config.sequence_length);
  PutOptional(object, "classes", config.classes);
  return object;
}

json ToJson(const EngineConfig& config) {
  json object = {{"rank", config.rank},
                 {"world_size", config.world_size},
                 {"local_rank", config.local_rank},
                 {"node", config.node},
                 {"nodes", config.nodes},
                 {"devices_per_node", config.devices_per_node},
                 {"meeting", config.meeting},
                 {"interface", config.interface},
                 {"address", config.address},
                 {"node_address", config.node_address},
                 {"watched", config.watched},
                 {"watch_offer", config.watch_offer},
                 {"measures_collectives", config.measures_collectives},
                 {"training", ToJson(config.training)}};
  PutOptional(object, "data", config.data);
  return object;
}

EngineConfig EngineConfigFromJson(const json& object) {
  try {
    EngineConfig config;
    config.rank = object.at("rank");
    config.world_size = object.at("world_size");
    config.local_rank = object.at("local_rank");
    config.node = object.at("node");
    config.nodes = object.at("nodes");
    config.devices_per_node = object.at("devices_per_node");
    config.meeting = object.at("meeting");
    config.interface = object.at("interface");
    config.address = object.at("address");
    config.node_address = object.at("node_address");
    config.watched = object.at("watched");
    config.watch_offer = object.at("watch_offer");
    config.measures_collectives = object.at("measures_collectives");
    GetOptional(object, "data", config.data);
    config.training = TrainingConfigFromJson(object.at("training"));
    return config;
  } catch (const json::exception& e) {
    throw UsageError(std::string("the engine's configuration is wrong: ") + e.what(),
                     "start the engine through `stallscope profile`");
  }
}

json ToJson(const BlockRequest& request) {
  return request;
}

BlockRequest BlockRequestFromJson(const json& object) {
  return object.get<BlockRequest>();
}

json ToJson(const RankBlock& block) {
  json object = {{"rank", block.rank},
                 {"node", block.node},
                 {"start_s", block.start_s},
                 {"end_s", block.end_s},
                 {"cpu_s", block.cpu_s},
                 {"machine_busy_s", block.machine_busy_s},
                 {"recording_s", block.recording_s},
                 {"machine_steal_s", block.machine_steal_s},
                 {"steps", block.steps}};
  PutOptional(object, "input", block.input);
  for (const ResourceSample& sample : block.samples) object["samples"].push_back(SampleToJson(sample));
  return object;
}

RankBlock RankBlockFromJson(const json& object) {
  RankBlock block;
  block.rank = object.at("rank");
  block.node = object.at("node");
  block.start_s = object.at("start_s");
  block.end_s = object.at("end_s");
  block.cpu_s = object.at("cpu_s");
  block.machine_busy_s = object.at("machine_busy_s");
  block.recording_s = object.at("recording_s");
  block.machine_steal_s = object.at("machine_steal_s");
  block.steps = object.at("steps").get<std::vector<StepRecord>>();
  GetOptional(object, "input", block.input);
  if (object.contains("samples")) {
    for (const json& sample : object.at("samples")) block.samples.push_back(SampleFromJson(sample));
  }
  return block;
}

json ToJson(const CollectiveFacts& facts) {
  return facts;
}

CollectiveFacts CollectiveFactsFromJson(const json& object) {
  return object.get<CollectiveFacts>();
}

json ToJson(const WorkloadFacts& facts) {
  json object = {{"torch_version", facts.torch_version},   {"model", facts.model},
                 {"parameters", facts.parameters},         {"gradient_tensors", facts.gradient_tensors},
                 {"gradient_bytes", facts.gradient_bytes}, {"layers", facts.layers},
                 {"forward_macs", facts.forward_macs}};
  PutOptional(object, "image_size", facts.image_size);
  PutOptional(object, "sequence_length", facts.sequence_length);
  return object;
}

WorkloadFacts WorkloadFactsFromJson(const json& object) {
  WorkloadFacts facts;
  facts.torch_version = object.at("torch_version");
  facts.model = object.at("model");
  facts.parameters = object.at("parameters");
  facts.gradient_tensors = object.at("gradient_tensors");
  facts.gradient_bytes = object.at("gradient_bytes");
  facts.layers = object.at("layers");
  facts.forward_macs = object.at("forward_macs");
  GetOptional(object, "image_size", facts.image_size);
  GetOptional(object, "sequence_length", facts.sequence_length);
  return facts;
}

}  // namespace stallscope
