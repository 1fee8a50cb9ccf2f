#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stallscope/base/error.h"
#include "stallscope/machine/resource_sample.h"

namespace stallscope {

/// Over which group of ranks the gradients of a block are averaged.
enum class Sync { kNone, kNode, kCluster };

/// Where a block's batches come from.
enum class DataSource {
  kResident,  ///< one synthetic batch that already sits on the device
  kHost,      ///< synthetic batches that are copied from host memory in every step
  kWarm,      ///< the loader, on files that were read into memory first
  kCold,      ///< the loader, on files that were evicted from memory first
};

bool IsRealData(DataSource source);

/// Delays of known size, to prove that they are found again where they belong (the accuracy lab). They sleep,
/// and take no processor.
struct Injection {
  double slow_rank_s = 0;          ///< added to every step of the last rank, before its backward pass
  double least_sample_s = 0;       ///< a worker spends at least so long on a sample
  double storage_bytes_per_s = 0;  ///< of each rank's reads in cold blocks; 0: as fast as they go
  bool operator==(const Injection&) const = default;
};

std::string_view SyncName(Sync sync);
std::string_view DataSourceName(DataSource source);

/// One block: some ranks train a fixed number of steps; the others wait.
struct BlockRequest {
  std::vector<int> ranks;  ///< global ranks that take part, in rising order
  Sync sync = Sync::kNone;
  DataSource data = DataSource::kResident;
  int steps = 0;
  /// Per-bucket times; off only to measure what recording costs.
  bool record = true;
  /// Which part of the data set: blocks of one turn read the same files in the same order.
  int turn = 0;
  /// Off: nobody trains, and batches are taken as fast as the loader makes them.
  bool train = true;
  /// Off (without training only): files are read and thrown away, to see the storage alone.
  bool decode = true;
  /// Seconds between samples of the machine's resources; 0: none are taken.
  double sample_every_s = 0;
  Injection inject;
  /// Monotonic time by which the runner throws BlockOverdue; the ranks do not know of it.
  double give_up_at_s = std::numeric_limits<double>::infinity();
};

/// One gradient bucket, in seconds since its step began.
struct BucketTimes {
  std::int64_t bytes = 0;
  double ready_s = 0;  ///< its last gradient was computed
  double begin_s = 0;  ///< it was handed to the process group
  double end_s = 0;    ///< its average had arrived
};

/// One optimiser step of one rank. The parts add up to total_s but for the loop's own few microseconds.
struct StepRecord {
  double start_s = 0;                  ///< monotonic clock
  double data_wait_s = 0;              ///< waiting for the loader
  double copy_s = 0;                   ///< host to device
  double forward_s = 0;                ///< all micro-batches
  double backward_s = 0;               ///< until the last gradient was computed, all micro-batches
  double exposed_communication_s = 0;  ///< buffer broadcasts, and gradients still on their way afterwards
  double optimizer_s = 0;
  double total_s = 0;
  double loss = 0;
  std::vector<BucketTimes> buckets;  ///< in the order in which they were handed over; empty without sync
};

/// What a rank's loader did in a block with real data, settling steps included.
struct InputRecord {
  std::string state;      ///< what the files were: "warm", "cold", "client-cold", "mixed", ... (CacheVerdict)
  bool verified = false;  ///< whether that is what was asked for
  std::string reason;     ///< why not
  bool worth_a_retry = false;
  std::int64_t samples = 0;
  double read_s = 0;              ///< of all workers together
  double decode_s = 0;            ///< likewise
  std::uint64_t bytes = 0;        ///< read, also for batches that nobody took
  std::uint64_t bytes_taken = 0;  ///< of the samples above
  /// Fetched from block devices meanwhile, in whole pages; known where `verified`.
  std::uint64_t device_bytes = 0;
  std::int64_t bad_samples = 0;  ///< since the start
  std::string change;            ///< what is no longer as it was when the data set was opened; empty: nothing
};

/// What one rank saw of a block. Waiting ranks report too, with no steps.
struct RankBlock {
  int rank = 0;
  int node = 0;
  double start_s = 0;  ///< monotonic clock of the rank's machine
  double end_s = 0;
  double cpu_s = 0;            ///< CPU time of the rank's own process
  double machine_busy_s = 0;   ///< CPU time of all processes of its machine, /proc/stat
  double recording_s = 0;      ///< inside the recording's own calls, of the steps below
  double machine_steal_s = 0;  ///< taken by the hypervisor
  std::vector<StepRecord> steps;
  std::optional<InputRecord> input;     ///< only with real data
  std::vector<ResourceSample> samples;  ///< of its machine, by the first rank of each machine
};

struct BlockResult {
  BlockRequest request;
  std::vector<RankBlock> ranks;  ///< every rank of the job, in rising order
};

/// Runs blocks in a job that stays up. Throws Error when the job is lost.
/// A block was not done when it should long have been. The ranks are still within it: their job can only be
/// ended.
class BlockOverdue : public Error {
 public:
  using Error::Error;
};

class BlockRunner {
 public:
  virtual ~BlockRunner() = default;
  virtual BlockResult Run(const BlockRequest& request) = 0;
};

}  // namespace stallscope
