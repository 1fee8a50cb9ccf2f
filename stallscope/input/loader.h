#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "stallscope/input/sample_source.h"

namespace stallscope {

struct LoaderOptions {
  int workers = 1;
  std::size_t batch = 32;
  /// Batches that may be ready or in work, per worker; PyTorch's default.
  int prefetch_per_worker = 2;
  std::uint64_t seed = 0;
  /// More bad samples than this share of the data set end the run.
  double max_bad = 0.01;
};

struct BadFile {
  std::string path;
  std::string reason;
};

struct LoaderStats {
  std::uint64_t bytes = 0;  ///< of files that were read, also for batches that nobody took
  std::size_t bad = 0;      ///< different samples that could not be used
  std::vector<BadFile> first_bad;
};

/// Worker threads that prepare batches ahead of the training loop. They are idle before Begin and after the
/// last batch, so that a block without data is not disturbed.
class Loader {
 public:
  /// The source must outlive the loader.
  Loader(const SampleSource& source, const LoaderOptions& options);
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;
  ~Loader();

  /// Drops what is left of an earlier order, and starts on this one with an empty queue.
  void Begin(std::vector<std::uint32_t> samples, std::uint64_t epoch);

  /// The next batch in order; nothing after the last. Whoever holds it may let it go in any thread, also
  /// after the loader's end. One buffer exists beyond the queue: keep at most one batch while asking for the
  /// next. Throws Error where too many samples are bad.
  std::shared_ptr<Batch> Next();

  /// Ends the order early; returns when every worker is idle, so that no read is still under way.
  void Cancel();

  LoaderStats Stats() const;
  /// Buffers that were ever made: the bound of its memory.
  std::size_t BuffersMade() const;

 private:
  struct State;

  void Work(int worker, SampleReader& reader);
  /// False where the order was cancelled.
  bool FillBatch(SampleReader& reader, Batch& batch, std::size_t first, std::size_t samples);
  /// Writes a sample, or the first usable one after it.
  void LoadUsable(SampleReader& reader, Batch& batch, std::uint32_t sample, std::size_t slot);
  bool IsKnownBad(std::uint32_t sample);
  void RecordBad(std::uint32_t sample, const std::string& reason);
  /// Throws Error where there are too many. The state must be locked.
  void CheckNumberOfBad() const;

  const SampleSource& source_;
  LoaderOptions options_;
  std::shared_ptr<State> state_;
  std::vector<std::jthread> threads_;
};

}  // namespace stallscope
