#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "stallscope/base/root.h"
#include "stallscope/machine/nvml.h"
#include "stallscope/machine/resource_sample.h"

namespace stallscope {

/// Samples of this machine's resources while a block runs: one at its begin, then one at every multiple of a
/// period, and one at its end. Between blocks the thread sleeps without a timer, so that blocks that nobody
/// samples, and the switching between blocks, are not disturbed.
///
/// Begin and End belong to one caller.
class ResourceSampler {
 public:
  explicit ResourceSampler(Root root = {}, std::string gpu_library = kNvmlLibrary);
  ~ResourceSampler();
  ResourceSampler(const ResourceSampler&) = delete;
  ResourceSampler& operator=(const ResourceSampler&) = delete;

  /// Nothing is sampled where `every_s` is not above 0. The first call loads the GPUs' library.
  void Begin(double every_s);

  /// All samples since Begin, in rising order of time.
  std::vector<ResourceSample> End();

 private:
  using Lock = std::unique_lock<std::mutex>;

  void Run();
  void Follow(Lock& lock);
  void TakeSample();

  const Root root_;
  const std::string gpu_library_;
  std::optional<Nvml> gpus_;
  std::thread thread_;  ///< from the first Begin on

  std::mutex mutex_;  ///< guards what follows
  std::condition_variable changed_;
  bool running_ = false;
  bool quit_ = false;
  double every_s_ = 0;
  int blocks_ = 0;  ///< begun so far: tells a new block from the one that the thread was following
  std::vector<ResourceSample> samples_;
};

}  // namespace stallscope
