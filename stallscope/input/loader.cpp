#include "stallscope/input/loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "stallscope/base/error.h"
#include "stallscope/input/bad_sample.h"
#include "stallscope/input/sampler.h"

namespace stallscope {
namespace {

/// Names of bad files that are kept; more would fill a terminal and say nothing new.
constexpr std::size_t kNamedBadFiles = 10;

}  // namespace

/// Shared with the batches that are out: they return to the free list whenever they are let go.
struct Loader::State {
  mutable std::mutex mutex;
  std::condition_variable work;   ///< a batch can be claimed, or the end has come
  std::condition_variable ready;  ///< a batch is ready, or a worker has become idle or failed

  std::vector<std::uint32_t> samples;
  std::uint64_t epoch = 0;
  std::size_t batches = 0;
  std::size_t next_claim = 0;
  std::size_t next_delivery = 0;
  std::map<std::size_t, std::unique_ptr<Batch>> done;
  std::vector<std::unique_ptr<Batch>> free;
  std::size_t buffers = 0;
  int busy = 0;
  bool stop = false;
  std::atomic<bool> cancelled = false;
  std::exception_ptr failure;

  std::set<std::uint32_t> bad;
  std::vector<BadFile> first_bad;
  std::atomic<std::uint64_t> bytes = 0;
};

Loader::Loader(const SampleSource& source, const LoaderOptions& options)
    : source_(source), options_(options), state_(std::make_shared<State>()) {
  threads_.reserve(static_cast<std::size_t>(options.workers));
  for (int worker = 0; worker < options.workers; ++worker)
    threads_.emplace_back([this, worker, reader = source.NewReader()] { Work(worker, *reader); });
}

Loader::~Loader() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
    state_->cancelled = true;
  }
  state_->work.notify_all();
}

void Loader::Begin(std::vector<std::uint32_t> samples, std::uint64_t epoch) {
  Cancel();
  {
    const std::lock_guard lock(state_->mutex);
    state_->samples = std::move(samples);
    state_->epoch = epoch;
    state_->batches = (state_->samples.size() + options_.batch - 1) / options_.batch;
    state_->next_claim = 0;
    state_->next_delivery = 0;
    state_->cancelled = false;
    state_->failure = nullptr;
  }
  state_->work.notify_all();
}

void Loader::Cancel() {
  std::unique_lock lock(state_->mutex);
  state_->cancelled = true;
  state_->batches = state_->next_delivery = state_->next_claim;
  state_->ready.wait(lock, [this] { return state_->busy == 0; });
  for (auto& [index, batch] : state_->done) state_->free.push_back(std::move(batch));
  state_->done.clear();
}

std::shared_ptr<Batch> Loader::Next() {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  if (state.next_delivery >= state.batches) {
    if (state.failure) std::rethrow_exception(state.failure);
    return nullptr;
  }
  const auto is_there = [&] { return state.failure || state.done.contains(state.next_delivery); };
  state.ready.wait(lock, is_there);
  if (state.failure) std::rethrow_exception(state.failure);
  auto node = state.done.extract(state.next_delivery++);
  lock.unlock();
  // One more may be claimed now.
  state.work.notify_one();
  return {node.mapped().release(), [shared = state_](Batch* batch) {
            {
              const std::lock_guard guard(shared->mutex);
              shared->free.emplace_back(batch);
            }
            shared->work.notify_one();
          }};
}

void Loader::Work(int worker, SampleReader& reader) {
  State& state = *state_;
  const std::size_t queue =
      static_cast<std::size_t>(options_.workers) * static_cast<std::size_t>(options_.prefetch_per_worker);
  std::unique_lock lock(state.mutex);
  while (true) {
    state.work.wait(lock, [&] {
      const bool claimable = !state.cancelled && !state.failure && state.next_claim < state.batches &&
                             state.next_claim < state.next_delivery + queue;
      return state.stop || (claimable && (!state.free.empty() || state.buffers < queue + 1));
    });
    if (state.stop) return;
    const std::size_t index = state.next_claim++;
    const std::size_t first = index * options_.batch;
    const std::size_t samples = std::min(options_.batch, state.samples.size() - first);
    std::unique_ptr<Batch> batch;
    if (state.free.empty()) {
      ++state.buffers;
    } else {
      batch = std::move(state.free.back());
      state.free.pop_back();
    }
    ++state.busy;
    lock.unlock();

    bool complete = false;
    std::exception_ptr failure;
    try {
      if (!batch) batch = std::make_unique<Batch>();
      batch->worker = worker;
      complete = FillBatch(reader, *batch, first, samples);
    } catch (...) {
      failure = std::current_exception();
    }

    lock.lock();
    --state.busy;
    if (failure && !state.failure) state.failure = failure;
    if (complete && !state.cancelled) {
      state.done.emplace(index, std::move(batch));
    } else if (batch) {
      state.free.push_back(std::move(batch));
    } else {
      --state.buffers;
    }
    state.ready.notify_all();
  }
}

bool Loader::FillBatch(SampleReader& reader, Batch& batch, std::size_t first, std::size_t samples) {
  batch.samples = samples;
  batch.read_s = batch.decode_s = 0;
  batch.bytes = 0;
  source_.Shape(batch, samples);
  for (std::size_t slot = 0; slot < samples; ++slot) {
    if (state_->cancelled) return false;
    const std::uint64_t before = batch.bytes;
    // The order does not change while a batch of it is in work.
    LoadUsable(reader, batch, state_->samples[first + slot], slot);
    state_->bytes += batch.bytes - before;
  }
  return true;
}

void Loader::LoadUsable(SampleReader& reader, Batch& batch, std::uint32_t sample, std::size_t slot) {
  while (true) {
    if (!IsKnownBad(sample)) {
      try {
        reader.Load(sample, SampleSeed(options_.seed, state_->epoch, sample), batch, slot);
        return;
      } catch (const BadSample& e) {
        RecordBad(sample, e.what());
      }
    }
    sample = static_cast<std::uint32_t>((sample + 1) % source_.size());
  }
}

bool Loader::IsKnownBad(std::uint32_t sample) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->bad.contains(sample)) return false;
  // Every worker that meets one looks at the number: whoever found the last may be another.
  CheckNumberOfBad();
  return true;
}

void Loader::RecordBad(std::uint32_t sample, const std::string& reason) {
  const std::lock_guard lock(state_->mutex);
  const bool is_new = state_->bad.insert(sample).second;
  if (is_new && state_->first_bad.size() < kNamedBadFiles)
    state_->first_bad.push_back({source_.PathOf(sample), reason});
  CheckNumberOfBad();
}

void Loader::CheckNumberOfBad() const {
  const std::size_t bad = state_->bad.size();
  const std::size_t all = source_.size();
  const BadFile& example = state_->first_bad.front();
  if (bad >= all) {
    throw Error(fmt::format("none of {} samples can be used: '{}' {}", all, example.path, example.reason),
                "check that this is the folder that you meant");
  }
  if (static_cast<double>(bad) > options_.max_bad * static_cast<double>(all)) {
    throw Error(fmt::format("{} of {} samples cannot be used, more than --max-bad {:g}% allows: '{}' {}", bad,
                            all, 100 * options_.max_bad, example.path, example.reason),
                "see all with `stallscope dataset info DIR --decode`, and remove them or raise --max-bad");
  }
}

LoaderStats Loader::Stats() const {
  const std::lock_guard lock(state_->mutex);
  return {.bytes = state_->bytes, .bad = state_->bad.size(), .first_bad = state_->first_bad};
}

std::size_t Loader::BuffersMade() const {
  const std::lock_guard lock(state_->mutex);
  return state_->buffers;
}

}  // namespace stallscope
