#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/base/units.h"
#include "stallscope/input/cache_verdict.h"
#include "stallscope/input/loader.h"

namespace stallscope {

struct ReadOptions {
  LoaderOptions loader;
  CacheState cache = CacheState::kAny;
  /// What a training step takes on the device: between two batches the consumer sleeps so long.
  Seconds step_time{0};
  Seconds max_time{20};
  std::uint64_t epoch = 0;
  /// A block whose cache state was spoilt by others is tried again.
  int attempts = 3;
};

/// One block of reads, as the loader and the kernel saw it.
struct ReadResult {
  int workers = 0;
  std::size_t samples = 0;
  std::size_t batches = 0;
  double elapsed_s = 0;                       ///< from the start to the last batch
  double read_s = 0;                          ///< of the delivered batches, summed over workers
  double decode_s = 0;                        ///< the same
  std::uint64_t bytes = 0;                    ///< of all files that were read
  std::optional<std::uint64_t> device_bytes;  ///< fetched from the block device meanwhile
  CacheVerdict cache;
  int attempts = 0;
  /// Mean time that a step waited for its batch, without the first two of every worker; only where there are
  /// such.
  std::optional<double> wait_s;
  std::size_t counted_steps = 0;
  LoaderStats loader;
  std::string stopped_by;  ///< "end", "max-time" or "interrupt"
  std::string change;      ///< what changed in the data set meanwhile; empty: nothing

  double samples_per_s() const { return elapsed_s > 0 ? static_cast<double>(samples) / elapsed_s : 0; }
  double samples_per_worker_s() const { return samples_per_s() / workers; }
};

/// Puts the files of the samples into the asked cache state, reads them in order through a loader, and judges
/// by the bytes that came from the device. `watch(samples)`: false stops it. Throws Error.
ReadResult ReadBlock(const SampleSource& source, const std::vector<std::uint32_t>& samples,
                     const ReadOptions& options, const std::function<bool(std::size_t)>& watch);

}  // namespace stallscope
