#include "stallscope/machine/resource_sampler.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "stallscope/base/clock.h"
#include "stallscope/machine/resources.h"

namespace stallscope {
namespace {

using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, std::chrono::duration<double>>;

/// Both clocks are CLOCK_MONOTONIC.
std::chrono::steady_clock::time_point AtMonotonic(double seconds) {
  return std::chrono::time_point_cast<std::chrono::steady_clock::duration>(
      SteadyTime(std::chrono::duration<double>(seconds)));
}

}  // namespace

ResourceSampler::ResourceSampler(Root root, std::string gpu_library)
    : root_(std::move(root)), gpu_library_(std::move(gpu_library)) {}

ResourceSampler::~ResourceSampler() {
  {
    const Lock lock(mutex_);
    quit_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void ResourceSampler::Begin(double every_s) {
  if (!(every_s > 0)) return;
  if (!thread_.joinable()) {
    gpus_.emplace(gpu_library_);
    thread_ = std::thread([this] { Run(); });
    pthread_setname_np(thread_.native_handle(), "resources");  // for those who look with top
  }
  {
    const Lock lock(mutex_);
    samples_.clear();
    every_s_ = every_s;
    running_ = true;
    ++blocks_;
    TakeSample();
  }
  changed_.notify_one();
}

std::vector<ResourceSample> ResourceSampler::End() {
  std::vector<ResourceSample> samples;
  {
    const Lock lock(mutex_);
    if (!running_) return samples;
    TakeSample();
    running_ = false;
    samples = std::exchange(samples_, {});
  }
  changed_.notify_one();
  return samples;
}

void ResourceSampler::Run() {
  Lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return quit_ || running_; });
    if (quit_) return;
    Follow(lock);
  }
}

/// Samples until the block ends.
void ResourceSampler::Follow(Lock& lock) {
  const int block = blocks_;
  const double every_s = every_s_;
  const double begin_s = samples_.front().time_s;
  const auto over = [&] { return quit_ || !running_ || blocks_ != block; };
  for (double tick = 1;; ++tick) {
    // Counted from the begin, so that late wake-ups do not add up; what was slept over is left out.
    tick = std::max(tick, std::ceil((MonotonicSeconds() - begin_s) / every_s));
    if (changed_.wait_until(lock, AtMonotonic(begin_s + tick * every_s), over)) return;
    TakeSample();
  }
}

void ResourceSampler::TakeSample() {
  ResourceSample& sample = samples_.emplace_back(ReadResources(root_, MonotonicSeconds()));
  const GpuSample gpu = gpus_->Read();
  sample.gpu_busy_share = gpu.busy_share;
  sample.gpu_memory_bytes = gpu.memory_bytes;
}

}  // namespace stallscope
