#include "stallscope/input/read_block.h"

#include <thread>
#include <utility>

#include "stallscope/base/clock.h"

namespace stallscope {
namespace {

CachePreparation Prepare(CacheState state, const std::vector<std::string>& files) {
  switch (state) {
    case CacheState::kCold:
      return MakeCold(files);
    case CacheState::kWarm:
      return MakeWarm(files);
    case CacheState::kAny:
      break;
  }
  return {};
}

/// Takes batches as a training loop does, and fills in what it sees.
void Consume(Loader& loader, const ReadOptions& options, const std::function<bool(std::size_t)>& watch,
             ReadResult& result) {
  const std::size_t settling = 2 * static_cast<std::size_t>(options.loader.workers);
  const double begin_s = MonotonicSeconds();
  double waited_s = 0;
  result.stopped_by = "end";
  while (true) {
    const double ask_s = MonotonicSeconds();
    const std::shared_ptr<Batch> batch = loader.Next();
    if (!batch) break;
    const double got_s = MonotonicSeconds();
    if (result.batches++ >= settling) {
      waited_s += got_s - ask_s;
      ++result.counted_steps;
    }
    result.samples += batch->samples;
    result.read_s += batch->read_s;
    result.decode_s += batch->decode_s;
    result.elapsed_s = got_s - begin_s;
    if (!watch(result.samples)) {
      result.stopped_by = "interrupt";
      break;
    }
    if (got_s - begin_s > options.max_time.count()) {
      result.stopped_by = "max-time";
      break;
    }
    if (options.step_time.count() > 0) std::this_thread::sleep_for(options.step_time);
  }
  if (result.counted_steps > 0) result.wait_s = waited_s / static_cast<double>(result.counted_steps);
}

ReadResult ReadOnce(const SampleSource& source, const std::vector<std::uint32_t>& samples,
                    const std::vector<std::string>& files, const ReadOptions& options,
                    const std::function<bool(std::size_t)>& watch) {
  ReadResult result{.workers = options.loader.workers};
  Loader loader(source, options.loader);
  CacheEvidence evidence{.storage = StorageBelow(source.PathOf(samples.front())),
                         .prepared = Prepare(options.cache, files)};
  const std::optional<std::uint64_t> before = DeviceBytesRead({});
  loader.Begin(samples, options.epoch);
  Consume(loader, options, watch, result);
  loader.Cancel();
  const std::optional<std::uint64_t> after = DeviceBytesRead({});
  result.loader = loader.Stats();
  result.bytes = evidence.file_bytes = result.loader.bytes;
  if (before && after) result.device_bytes = evidence.device_bytes = *after - *before;
  result.cache = JudgeCache(options.cache, evidence);
  result.change = source.Change();
  return result;
}

}  // namespace

ReadResult ReadBlock(const SampleSource& source, const std::vector<std::uint32_t>& samples,
                     const ReadOptions& options, const std::function<bool(std::size_t)>& watch) {
  const bool touches_cache = options.cache != CacheState::kAny;
  const std::vector<std::string> files =
      touches_cache ? FilesOf(source, samples) : std::vector<std::string>();
  for (int attempt = 1;; ++attempt) {
    ReadResult result = ReadOnce(source, samples, files, options, watch);
    result.attempts = attempt;
    const bool final = !result.cache.worth_a_retry || result.stopped_by == "interrupt";
    if (final || attempt >= options.attempts) return result;
  }
}

}  // namespace stallscope
