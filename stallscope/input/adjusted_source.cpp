#include "stallscope/input/adjusted_source.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "stallscope/base/clock.h"

namespace stallscope {
namespace {

void SleepUntil(double time_s) {
  const double left_s = time_s - MonotonicSeconds();
  if (left_s > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left_s));
}

/// Where the next delay begins that follows one which ended at `free_s`; now, where that was before
/// `since_s`.
double OnSchedule(double free_s, double since_s) {
  const double now_s = MonotonicSeconds();
  return free_s < since_s ? now_s : std::max(free_s, now_s - kMakesUpFor_s);
}

class AdjustedReader : public SampleReader {
 public:
  AdjustedReader(const AdjustedSource& source, std::unique_ptr<SampleReader> inner)
      : source_(source), inner_(std::move(inner)) {}

  void Load(std::uint32_t sample, std::uint64_t seed, Batch& batch, std::size_t slot) override {
    const ReadAdjustment adjustment = source_.adjustment();
    const std::uint64_t bytes_before = batch.bytes;
    if (adjustment.decode) {
      inner_->Load(sample, seed, batch, slot);
    } else {
      inner_->ReadOnly(sample, batch, slot);
    }
    if (adjustment.bytes_per_s > 0) {
      const double wait_begin_s = MonotonicSeconds();
      source_.WaitForBytes(static_cast<double>(batch.bytes - bytes_before), adjustment.bytes_per_s);
      batch.read_s += MonotonicSeconds() - wait_begin_s;
    }
    if (adjustment.least_sample_s > 0) {
      const double wait_begin_s = MonotonicSeconds();
      free_s_ = OnSchedule(free_s_, adjustment.since_s) + adjustment.least_sample_s;
      SleepUntil(free_s_);
      batch.decode_s += MonotonicSeconds() - wait_begin_s;
    }
  }

 private:
  const AdjustedSource& source_;
  std::unique_ptr<SampleReader> inner_;
  double free_s_ = 0;  ///< when this worker's next sample may begin
};

}  // namespace

void AdjustedSource::Adjust(const ReadAdjustment& adjustment) {
  const std::lock_guard lock(mutex_);
  adjustment_ = adjustment;
  adjustment_.since_s = MonotonicSeconds();
}

ReadAdjustment AdjustedSource::adjustment() const {
  const std::lock_guard lock(mutex_);
  return adjustment_;
}

std::unique_ptr<SampleReader> AdjustedSource::NewReader() const {
  return std::make_unique<AdjustedReader>(*this, source_.NewReader());
}

void AdjustedSource::WaitForBytes(double bytes, double bytes_per_s) const {
  double until_s = 0;
  {
    const std::lock_guard lock(mutex_);
    storage_free_s_ = OnSchedule(storage_free_s_, adjustment_.since_s) + bytes / bytes_per_s;
    until_s = storage_free_s_;
  }
  SleepUntil(until_s);
}

}  // namespace stallscope
