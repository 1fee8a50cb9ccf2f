#include "stallscope/engine/messages.h"

#include <nlohmann/json.hpp>

#include "stallscope/base/error.h"

namespace stallscope {

using nlohmann::json;

// Both ends are built from one tree, so the plain enumerator values travel.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BucketTimes, bytes, ready_s, begin_s, end_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StepRecord, start_s, data_wait_s, copy_s, forward_s, backward_s,
                                   exposed_communication_s, optimizer_s, total_s, loss, buckets)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankBlock, rank, node, start_s, end_s, cpu_s, machine_busy_s, recording_s,
                                   machine_steal_s, steps)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BlockRequest, ranks, sync, data, steps, record)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MeetingConfig, kind, file, host, port, timeout_s)

namespace {

template <typename T>
void PutOptional(json& object, const char* name, const std::optional<T>& value) {
  if (value) object[name] = *value;
}

template <typename T>
void GetOptional(const json& object, const char* name, std::optional<T>& value) {
  if (object.contains(name)) value = object.at(name).get<T>();
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
  return {{"rank", config.rank},
          {"world_size", config.world_size},
          {"local_rank", config.local_rank},
          {"node", config.node},
          {"nodes", config.nodes},
          {"devices_per_node", config.devices_per_node},
          {"meeting", config.meeting},
          {"interface", config.interface},
          {"address", config.address},
          {"training", ToJson(config.training)}};
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
  return block;
}

RankBlock RankBlockFromJson(const json& object) {
  return object.get<RankBlock>();
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
