#include "stallscope/engine/messages.h"

#include <nlohmann/json.hpp>

#include "stallscope/base/error.h"
#include "stallscope/engine/record_json.h"

namespace stallscope {

using nlohmann::json;

template <FieldsOf<BucketTimes> Record, typename Visit>
void VisitFields(Record& bucket, Visit visit) {
  visit("bytes", bucket.bytes);
  visit("ready_s", bucket.ready_s);
  visit("begin_s", bucket.begin_s);
  visit("end_s", bucket.end_s);
}

template <FieldsOf<StepRecord> Record, typename Visit>
void VisitFields(Record& step, Visit visit) {
  visit("start_s", step.start_s);
  visit("data_wait_s", step.data_wait_s);
  visit("copy_s", step.copy_s);
  visit("forward_s", step.forward_s);
  visit("backward_s", step.backward_s);
  visit("exposed_communication_s", step.exposed_communication_s);
  visit("optimizer_s", step.optimizer_s);
  visit("total_s", step.total_s);
  visit("loss", step.loss);
  visit("buckets", step.buckets);
}

template <FieldsOf<DataConfig> Record, typename Visit>
void VisitFields(Record& data, Visit visit) {
  visit("path", data.path);
  visit("workers", data.workers);
  visit("max_bad", data.max_bad);
  visit("follow", data.follow);
}

template <FieldsOf<Injection> Record, typename Visit>
void VisitFields(Record& inject, Visit visit) {
  visit("slow_rank_s", inject.slow_rank_s);
  visit("least_sample_s", inject.least_sample_s);
  visit("storage_bytes_per_s", inject.storage_bytes_per_s);
}

template <FieldsOf<InputRecord> Record, typename Visit>
void VisitFields(Record& input, Visit visit) {
  visit("state", input.state);
  visit("verified", input.verified);
  visit("reason", input.reason);
  visit("worth_a_retry", input.worth_a_retry);
  visit("samples", input.samples);
  visit("read_s", input.read_s);
  visit("decode_s", input.decode_s);
  visit("bytes", input.bytes);
  visit("bytes_taken", input.bytes_taken);
  visit("device_bytes", input.device_bytes);
  visit("bad_samples", input.bad_samples);
  visit("change", input.change);
}

template <FieldsOf<BlockRequest> Record, typename Visit>
void VisitFields(Record& request, Visit visit) {
  visit("ranks", request.ranks);
  visit("sync", request.sync);
  visit("data", request.data);
  visit("steps", request.steps);
  visit("record", request.record);
  visit("turn", request.turn);
  visit("train", request.train);
  visit("decode", request.decode);
  visit("sample_every_s", request.sample_every_s);
  visit("inject", request.inject);
}

template <FieldsOf<ResourceSample> Record, typename Visit>
void VisitFields(Record& sample, Visit visit) {
  visit("time_s", sample.time_s);
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

/// But its samples, which only some ranks have.
template <FieldsOf<RankBlock> Record, typename Visit>
void VisitFields(Record& block, Visit visit) {
  visit("rank", block.rank);
  visit("node", block.node);
  visit("start_s", block.start_s);
  visit("end_s", block.end_s);
  visit("cpu_s", block.cpu_s);
  visit("machine_busy_s", block.machine_busy_s);
  visit("recording_s", block.recording_s);
  visit("machine_steal_s", block.machine_steal_s);
  visit("steps", block.steps);
  visit("input", block.input);
}

template <FieldsOf<MeetingConfig> Record, typename Visit>
void VisitFields(Record& meeting, Visit visit) {
  visit("kind", meeting.kind);
  visit("file", meeting.file);
  visit("host", meeting.host);
  visit("port", meeting.port);
  visit("timeout_s", meeting.timeout_s);
}

template <FieldsOf<TorchscriptConfig> Record, typename Visit>
void VisitFields(Record& script, Visit visit) {
  visit("file", script.file);
  visit("sample_shape", script.sample_shape);
  visit("classes", script.classes);
  visit("vocabulary", script.vocabulary);
}

template <FieldsOf<TrainingConfig> Record, typename Visit>
void VisitFields(Record& training, Visit visit) {
  visit("model", training.model);
  visit("torchscript", training.torchscript);
  visit("image_size", training.image_size);
  visit("sequence_length", training.sequence_length);
  visit("classes", training.classes);
  visit("batch", training.batch);
  visit("accumulate", training.accumulate);
  visit("optimizer", training.optimizer);
  visit("dtype", training.dtype);
  visit("bucket", training.bucket);
  visit("broadcast_buffers", training.broadcast_buffers);
  visit("seed", training.seed);
}

template <FieldsOf<EngineConfig> Record, typename Visit>
void VisitFields(Record& config, Visit visit) {
  visit("rank", config.rank);
  visit("world_size", config.world_size);
  visit("local_rank", config.local_rank);
  visit("node", config.node);
  visit("nodes", config.nodes);
  visit("devices_per_node", config.devices_per_node);
  visit("meeting", config.meeting);
  visit("interface", config.interface);
  visit("address", config.address);
  visit("node_address", config.node_address);
  visit("watched", config.watched);
  visit("watch_offer", config.watch_offer);
  visit("measures_collectives", config.measures_collectives);
  visit("training", config.training);
  visit("data", config.data);
}

template <FieldsOf<CollectiveFacts> Record, typename Visit>
void VisitFields(Record& facts, Visit visit) {
  visit("torch_version", facts.torch_version);
  visit("backend", facts.backend);
}

template <FieldsOf<WorkloadFacts> Record, typename Visit>
void VisitFields(Record& facts, Visit visit) {
  visit("torch_version", facts.torch_version);
  visit("model", facts.model);
  visit("parameters", facts.parameters);
  visit("gradient_tensors", facts.gradient_tensors);
  visit("gradient_bytes", facts.gradient_bytes);
  visit("layers", facts.layers);
  visit("forward_macs", facts.forward_macs);
  visit("image_size", facts.image_size);
  visit("sequence_length", facts.sequence_length);
}

json ToJson(const TrainingConfig& config) {
  return RecordToJson(config);
}

json ToJson(const EngineConfig& config) {
  return RecordToJson(config);
}

EngineConfig EngineConfigFromJson(const json& object) {
  try {
    return RecordFromJson<EngineConfig>(object);
  } catch (const RecordError& e) {
    throw UsageError(std::string("the engine's configuration is wrong: ") + e.what(),
                     "start the engine through `stallscope profile`");
  }
}

json ToJson(const BlockRequest& request) {
  return RecordToJson(request);
}

BlockRequest BlockRequestFromJson(const json& object) {
  return RecordFromJson<BlockRequest>(object);
}

json ToJson(const RankBlock& block) {
  json object = RecordToJson(block);
  if (!block.samples.empty()) object["samples"] = record_json::Written(block.samples);
  return object;
}

RankBlock RankBlockFromJson(const json& object) {
  auto block = RecordFromJson<RankBlock>(object);
  if (object.contains("samples")) TakeField(object, "samples", block.samples);
  return block;
}

json ToJson(const CollectiveFacts& facts) {
  return RecordToJson(facts);
}

CollectiveFacts CollectiveFactsFromJson(const json& object) {
  return RecordFromJson<CollectiveFacts>(object);
}

json ToJson(const WorkloadFacts& facts) {
  return RecordToJson(facts);
}

WorkloadFacts WorkloadFactsFromJson(const json& object) {
  return RecordFromJson<WorkloadFacts>(object);
}

}  // namespace stallscope
