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

class AdjustedReader : public SampleReader {
 public:
  AdjustedReader(const AdjustedSource& source, std::unique_ptr<SampleReader> inner)
      : source_(source), inner_(std::move(inner)) {}

  void Load(std::uint32_t sample, std::uint64_t seed, Batch& batch, std::size_t slot) override {
    const ReadAdjustment adjustment = source_.adjustment();
    const double begin_s = MonotonicSeconds();
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
      SleepUntil(begin_s + adjustment.least_sample_s);
      batch.decode_s += MonotonicSeconds() - wait_begin_s;
    }
  }

 private:
  const AdjustedSource& source_;
  std::unique_ptr<SampleReader> inner_;
};

}  // namespace

void AdjustedSource::Adjust(const ReadAdjustment& adjustment) {
  const std::lock_guard lock(mutex_);
  adjustment_ = adjustment;
  storage_free_s_ = 0;
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
    storage_free_s_ = std::max(storage_free_s_, MonotonicSeconds()) + bytes / bytes_per_s;
    until_s = storage_free_s_;
  }
  SleepUntil(until_s);
}

}  // namespace stallscope
