#pragma once

#include <memory>
#include <torch/csrc/distributed/c10d/reducer.hpp>
#include <unordered_map>
#include <vector>

#include "stallscope/engine/block.h"
#include "stallscope/engine/bucket.h"
#include "stallscope/engine/torch/timed_group.h"

namespace stallscope {

/// Averages gradients over one group of ranks as DistributedDataParallel does: through c10d's Reducer,
/// with its buckets rebuilt in order of readiness after the first step. Several of these may watch the
/// same parameters; only the one that was armed for a backward pass acts.
class GradientSync {
 public:
  GradientSync(std::vector<at::Tensor> parameters, std::vector<std::string> names,
               const c10::intrusive_ptr<c10d::ProcessGroup>& group, const BucketCaps& caps);

  /// Buffers such as batch norm's statistics, from the group's first rank, before a forward pass.
  void BroadcastBuffers(const std::vector<at::Tensor>& buffers);
  void BeforeForward();
  /// Arms the Reducer: the next backward pass ends with averaged gradients.
  void BeforeBackward(const at::Tensor& loss);

  /// Times of the last backward pass, on the monotonic clock.
  struct Times {
    double last_gradient_s = 0;
    std::vector<BucketTimes> buckets;  ///< absolute here
  };
  Times TakeTimes();

  void SetRecording(bool recording) { group_->SetRecording(recording); }
  double RecordingSeconds() const { return group_->OwnSeconds() + own_seconds_; }

 private:
  /// For each bucket, the parameters in it; it changes when the buckets are rebuilt.
  void ReadBuckets();

  c10::intrusive_ptr<TimedGroup> group_;
  std::unordered_map<const void*, std::size_t> parameter_index_;
  std::unique_ptr<c10d::Reducer> reducer_;
  std::vector<std::vector<std::size_t>> bucket_parameters_;
  double backward_start_s_ = 0;
  double own_seconds_ = 0;
};

}  // namespace stallscope
