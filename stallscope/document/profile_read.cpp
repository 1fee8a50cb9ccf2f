#include <algorithm>

#include "stallscope/base/names.h"
#include "stallscope/document/condition_json.h"
#include "stallscope/document/host_json.h"
#include "stallscope/document/json_fields.h"
#include "stallscope/document/profile.h"

namespace stallscope {
namespace {

std::optional<DatasetInfo> ReadDataset(const JsonFields& workload) {
  const auto fields = workload.OptionalObject("dataset");
  if (!fields) return std::nullopt;
  return DatasetInfo{.path = fields->Text("path"),
                     .kind = fields->Text("kind"),
                     .samples = fields->Integer("samples"),
                     .bytes = fields->Integer("bytes")};
}

WorkloadInfo ReadWorkload(const JsonFields& fields) {
  return {.model = fields.Text("model"),
          .parameters = fields.Integer("parameters"),
          .gradient_tensors = fields.Integer("gradient_tensors"),
          .gradient_bytes = fields.Integer("gradient_bytes"),
          .layers = fields.OptionalInteger("layers"),
          .forward_macs = fields.OptionalInteger("forward_macs"),
          .batch_per_device = fields.Integer("batch_per_device"),
          .accumulate = fields.Integer("accumulate"),
          .optimizer = fields.Text("optimizer"),
          .dtype = fields.Text("dtype"),
          .bucket = fields.Text("bucket"),
          .image_size = fields.OptionalInteger("image_size"),
          .sequence_length = fields.OptionalInteger("sequence_length"),
          .loader_workers = fields.OptionalInteger("loader_workers"),
          .dataset = ReadDataset(fields)};
}

ClusterInfo ReadCluster(const JsonFields& fields) {
  return {.nodes = fields.SmallInteger("nodes"),
          .devices_per_node = fields.SmallInteger("devices_per_node"),
          .device = fields.Text("device"),
          .backend = fields.Text("backend"),
          .emulated = fields.Truth("emulated"),
          .emulated_bandwidth_bytes_per_s = fields.OptionalNumber("emulated_bandwidth_bytes_per_s"),
          .emulated_disk_bytes_per_s = fields.OptionalNumber("emulated_disk_bytes_per_s")};
}

std::optional<Stall> ReadStall(const JsonFields& parent, const std::string& key) {
  const auto fields = parent.OptionalObject(key);
  if (!fields) return std::nullopt;
  return Stall{.seconds = fields->Interval("seconds"),
               .share = fields->Interval("share"),
               .distinguishable = fields->Truth("distinguishable")};
}

Stalls ReadStalls(const JsonFields& fields) {
  Stalls stalls;
  stalls.compute = ReadStall(fields, "compute");
  stalls.interconnect = ReadStall(fields, "interconnect");
  if (const auto parts = fields.OptionalObject("interconnect")) {
    stalls.contention = ReadStall(*parts, "contention");
    stalls.communication = ReadStall(*parts, "communication");
  }
  stalls.network = ReadStall(fields, "network");
  stalls.prep = ReadStall(fields, "prep");
  if (const auto parts = fields.OptionalObject("prep")) stalls.copy = ReadStall(*parts, "copy");
  stalls.fetch = ReadStall(fields, "fetch");
  return stalls;
}

void ReadLoading(const JsonFields& fields, Profile& profile) {
  profile.loader_limit_s = fields.OptionalInterval("loader_limit_s");
  profile.fetch_limit_s = fields.OptionalInterval("fetch_limit_s");
  if (const auto loader = fields.OptionalObject("loader")) {
    profile.loader = LoaderInfo{.read_s = loader->Number("read_s"),
                                .decode_s = loader->Number("decode_s"),
                                .bytes = loader->Number("bytes")};
  }
  if (const auto optimal = fields.OptionalObject("optimal")) {
    profile.optimal = OptimalLoading{.cached_share = optimal->OptionalNumber("cached_share"),
                                     .cache_bytes = optimal->OptionalInteger("cache_bytes")};
    if (optimal->Has("workers_per_device")) {
      profile.optimal->workers_per_device = optimal->SmallInteger("workers_per_device");
    }
  }
}

std::optional<ReferenceInfo> ReadReference(const JsonFields& fields) {
  const auto reference = fields.OptionalObject("reference");
  if (!reference) return std::nullopt;
  reference->Object("network");  // complains where it is missing
  return ReferenceInfo{.file = reference->Text("file"),
                       .node_step_time_s = reference->Interval("node_step_time_s"),
                       .network = ReadStall(*reference, "network").value()};
}

std::string ReadConditionName(const JsonFields& fields, const std::string& key, const std::string& name) {
  const std::vector<std::string>& known = ConditionNames();
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    fields.Fail(key, "is no condition; it can be " + JoinAlternatives(known));
  }
  return name;
}

Severity ReadSeverity(const JsonFields& fields) {
  const std::string name = fields.Text("severity");
  for (const Severity severity : {Severity::kInfo, Severity::kWarning, Severity::kProblem}) {
    if (name == ToString(severity)) return severity;
  }
  fields.Fail("severity", "can be info, warning or problem");
}

}  // namespace

const std::vector<std::string>& ConditionNames() {
  static const std::vector<std::string> names = {"solo", "crowd", "node", "cluster", "warm", "cold"};
  return names;
}

std::string ToString(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kWarning:
      return "warning";
    case Severity::kProblem:
      return "problem";
  }
  return "?";
}

Profile ProfileFromJson(const std::string& text, const std::string& source) {
  const Json document = ParseDocument(text, source);
  RequireSchema(document, kProfileSchema, source);
  const JsonFields fields(document, source);
  Profile profile;
  profile.tool.version = fields.Object("tool").Text("version");
  profile.tool.torch = fields.Object("tool").OptionalText("torch");
  profile.created = fields.Text("created");
  profile.argv = fields.Texts("argv");
  profile.host = HostFromJson(fields.Object("host"));
  profile.seed = fields.Unsigned("seed");
  profile.workload = ReadWorkload(fields.Object("workload"));
  profile.cluster = ReadCluster(fields.Object("cluster"));
  const JsonFields conditions = fields.Object("conditions");
  for (const std::string& key : conditions.Keys()) {
    profile.conditions[ReadConditionName(conditions, key, key)] = ConditionFromJson(conditions.Object(key));
  }
  for (const JsonFields& absent : fields.Objects("absent")) {
    const std::string name = ReadConditionName(absent, "condition", absent.Text("condition"));
    profile.absent.push_back({.condition = name, .reason = absent.Text("reason")});
  }
  profile.stalls = ReadStalls(fields.Object("stalls"));
  profile.step_time_s = fields.Interval("step_time_s");
  if (const auto first = fields.OptionalObject("first_epoch")) {
    profile.first_epoch = FirstEpoch{.step_time_s = first->Interval("step_time_s")};
  }
  if (const auto steady = fields.OptionalObject("steady_state")) {
    profile.steady_state = SteadyState{.step_time_s = steady->Interval("step_time_s"),
                                       .cached_share = steady->Number("cached_share"),
                                       .room_bytes = steady->OptionalInteger("room_bytes"),
                                       .stalls = ReadStalls(steady->Object("stalls"))};
  }
  ReadLoading(fields, profile);
  profile.reference = ReadReference(fields);
  profile.samples_per_s = fields.Interval("samples_per_s");
  profile.stopped_by = fields.Text("stopped_by");
  profile.failure = fields.OptionalText("failure");
  profile.rounds_kept = fields.Object("rounds").SmallInteger("kept");
  profile.rounds_dropped = fields.Object("rounds").SmallInteger("dropped");
  profile.rounds_unverified = fields.Object("rounds").SmallInteger("unverified");
  profile.warm_up_steps = fields.Object("warm_up").SmallInteger("steps");
  for (const JsonFields& finding : fields.Objects("findings")) {
    profile.findings.push_back({.severity = ReadSeverity(finding),
                                .what = finding.Text("what"),
                                .why = finding.Text("why"),
                                .advice = finding.Text("advice"),
                                .saves_s = finding.OptionalNumber("saves_s")});
  }
  return profile;
}

}  // namespace stallscope
