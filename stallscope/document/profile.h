#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/document/estimate.h"
#include "stallscope/document/host.h"

namespace stallscope {

inline constexpr const char* kProfileSchema = "stallscope.profile/1";

struct ToolInfo {
  std::string version;
  std::optional<std::string> torch;  ///< libtorch's version; absent where no engine ran
};

/// The data set of the rungs with real data.
struct DatasetInfo {
  std::string path;
  std::string kind;  ///< "images", "tokens", or "program": what the user's own loaders read
  std::int64_t samples = 0;
  std::int64_t bytes = 0;  ///< of all files; scaled up from some of them where there are very many
};

/// What was trained.
struct WorkloadInfo {
  std::string model;
  std::int64_t parameters = 0;
  std::int64_t gradient_tensors = 0;
  std::int64_t gradient_bytes = 0;
  std::optional<std::int64_t> layers;
  std::optional<std::int64_t> forward_macs;  ///< multiply-accumulates of one sample's forward pass
  std::int64_t batch_per_device = 0;
  std::int64_t accumulate = 1;  ///< micro-batches of batch_per_device in one optimiser step
  std::string optimizer;
  std::string dtype;
  std::string bucket;  ///< as --bucket takes it: "25MiB", "tensor" or "model"
  std::optional<std::int64_t> image_size;
  std::optional<std::int64_t> sequence_length;
  std::optional<std::int64_t> loader_workers;  ///< per device
  std::optional<DatasetInfo> dataset;
};

/// Where it was trained.
struct ClusterInfo {
  int nodes = 1;
  int devices_per_node = 1;
  std::string device;   ///< "cpu"
  std::string backend;  ///< "gloo"
  bool emulated = false;
  std::optional<double> emulated_bandwidth_bytes_per_s;  ///< of every machine's link
  std::optional<double> emulated_disk_bytes_per_s;       ///< of all machines together
};

/// Means per step, over ranks, steps and kept rounds, in seconds.
struct StepParts {
  double data_wait_s = 0;
  double copy_s = 0;
  double forward_s = 0;
  double backward_s = 0;
  double exposed_communication_s = 0;
  double optimizer_s = 0;
};

/// What the gradient buckets of a synchronised rung did, per step.
struct CommunicationInfo {
  double transfer_s = 0;     ///< moving gradients, with nobody waiting for a late rank
  double skew_s = 0;         ///< waiting for the slowest rank
  double overlap_share = 0;  ///< of the communicating time, hidden behind the backward pass
};

/// One gradient bucket of a synchronised rung: means over ranks, steps and kept rounds, in seconds since
/// the step began.
struct BucketInfo {
  std::int64_t bytes = 0;
  double ready_s = 0;
  double begin_s = 0;
  double end_s = 0;
  double exposed_s = 0;  ///< of it, after the last gradient was computed
};

/// What a machine did while a rung was measured: means over samples, kept rounds and machines. What could
/// not be read is absent.
struct ResourceInfo {
  std::optional<double> cpu_busy_share;  ///< of all cores
  std::optional<double> memory_used_bytes;
  std::optional<double> page_cache_bytes;
  std::optional<double> disk_read_bytes_per_s;
  std::optional<double> disk_written_bytes_per_s;
  std::optional<double> network_received_bytes_per_s;  ///< without loopback
  std::optional<double> network_sent_bytes_per_s;
  std::optional<double> gpu_busy_share;
  std::optional<double> gpu_memory_bytes;
};

struct ConditionInfo {
  Estimate step_time_s;
  int rounds = 0;
  int steps = 0;  ///< measured steps of one rank, all rounds
  StepParts parts;
  std::optional<CommunicationInfo> communication;  ///< only where gradients are synchronised
  std::vector<BucketInfo> buckets;                 ///< in the order of handing over; likewise
  std::optional<ResourceInfo> resources;           ///< with --sample
  /// What the files of a rung with real data were verified to be: "warm", "cold", or "client-cold" where
  /// the server of a network file system may have had them in its memory.
  std::optional<std::string> cache;
};

struct AbsentCondition {
  std::string condition;
  std::string reason;
};

/// One difference of the ladder. Signed: noise may make it negative, and it stays so.
struct Stall {
  Estimate seconds;
  Estimate share;  ///< of the highest present rung's step time
  bool distinguishable = false;
};

/// A stall whose rung is absent is absent, never zero.
struct Stalls {
  std::optional<Stall> compute;
  std::optional<Stall> interconnect;
  std::optional<Stall> contention;     ///< a part of interconnect
  std::optional<Stall> communication;  ///< a part of interconnect
  std::optional<Stall> network;
  std::optional<Stall> prep;
  std::optional<Stall> copy;  ///< a part of prep
  std::optional<Stall> fetch;
};

struct FirstEpoch {
  Estimate step_time_s;
};

struct SteadyState {
  Estimate step_time_s;
  double cached_share = 1;                 ///< of the data set, in the memory of each machine
  std::optional<std::int64_t> room_bytes;  ///< memory of one machine that cached files could take
  Stalls stalls;
};

/// What one worker of the loader needs for one sample, with nothing else running; means over kept rounds.
struct LoaderInfo {
  double read_s = 0;    ///< a file that is in memory
  double decode_s = 0;  ///< decoding, resizing, normalising
  double bytes = 0;     ///< read
};

/// The settings that would hide loading behind training, from the measured rates.
struct OptimalLoading {
  std::optional<int> workers_per_device;
  std::optional<double> cached_share;       ///< of the data set that has to be in memory, at least
  std::optional<std::int64_t> cache_bytes;  ///< memory of each machine for it
};

/// The literature's network stall: this cluster against one machine that holds as many devices.
struct ReferenceInfo {
  std::string file;
  Estimate node_step_time_s;  ///< the other document's
  Stall network;              ///< share of this document's cluster step
};

enum class Severity { kInfo, kWarning, kProblem };

/// Something worth knowing, with advice.
struct Finding {
  Severity severity = Severity::kInfo;
  std::string what;
  std::string why;
  std::string advice;
  std::optional<double> saves_s;  ///< per step, at most
};

/// A finished measurement of the stall ladder: the document stallscope.profile/1.
/// Every field is explained in docs/metrics.md and docs/formats.md.
struct Profile {
  ToolInfo tool;
  std::string created;
  std::vector<std::string> argv;
  HostInfo host;
  std::uint64_t seed = 0;
  WorkloadInfo workload;
  ClusterInfo cluster;
  std::map<std::string, ConditionInfo> conditions;  ///< by name: solo, crowd, node, cluster, warm, cold
  std::vector<AbsentCondition> absent;
  Stalls stalls;
  Estimate step_time_s;  ///< of the highest present rung: what the stalls add up to
  std::optional<FirstEpoch> first_epoch;
  std::optional<SteadyState> steady_state;
  std::optional<Estimate> loader_limit_s;
  std::optional<Estimate> fetch_limit_s;
  std::optional<LoaderInfo> loader;
  std::optional<OptimalLoading> optimal;
  std::optional<ReferenceInfo> reference;
  Estimate samples_per_s;
  std::string stopped_by;              ///< "tolerance", "max-time", "interrupted" or "failed"
  std::optional<std::string> failure;  ///< what ended measuring, where stopped_by is "failed"
  int rounds_kept = 0;
  int rounds_dropped = 0;     ///< other processes disturbed them
  int rounds_unverified = 0;  ///< their files were not in the state that was asked for
  int warm_up_steps = 0;      ///< discarded, per rank, before and within the rounds
  std::vector<Finding> findings;
};

/// The rungs from the bottom up, as the document spells them.
const std::vector<std::string>& ConditionNames();

std::string ToString(Severity severity);

/// Indented JSON with a final newline. Throws Error where a number is not finite.
std::string ToJson(const Profile& profile);

/// Throws Error with one sentence that names the field. `source` is the file, for that sentence.
Profile ProfileFromJson(const std::string& text, const std::string& source);

}  // namespace stallscope
