#include "stallscope/engine/torch/gradient_sync.h"

#include <algorithm>
#include <limits>
#include <torch/csrc/distributed/c10d/comm.hpp>

#include "stallscope/base/clock.h"

namespace stallscope {
namespace {

/// What DistributedDataParallel coalesces broadcast buffers into.
constexpr std::size_t kBroadcastBytes = 250u << 20;

}  // namespace

GradientSync::GradientSync(std::vector<at::Tensor> parameters, std::vector<std::string> names,
                           const c10::intrusive_ptr<c10d::ProcessGroup>& group, const BucketCaps& caps)
    : group_(c10::make_intrusive<TimedGroup>(group)) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameter_index_[parameters[i].unsafeGetTensorImpl()] = i;
  }
  // One bucket at first, as DistributedDataParallel does: the Reducer rebuilds them to the caps once it
  // has seen in which order gradients become ready.
  const std::vector<bool> dense(parameters.size(), false);
  auto [indices, limits] = c10d::compute_bucket_assignment_by_size(
      parameters, {static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max())}, dense);
  std::reverse(indices.begin(), indices.end());
  std::reverse(limits.begin(), limits.end());
  std::unordered_map<std::size_t, std::string> parameter_names;
  for (std::size_t i = 0; i < names.size(); ++i) parameter_names[i] = names[i];
  reducer_ = std::make_unique<c10d::Reducer>(
      std::move(parameters), std::move(indices), std::move(limits), group_, dense, caps.bytes,
      /*find_unused_parameters=*/false, /*gradient_as_bucket_view=*/false, std::move(parameter_names),
      caps.first_bytes);
  ReadBuckets();
}

void GradientSync::BroadcastBuffers(const std::vector<at::Tensor>& buffers) {
  if (buffers.empty()) return;
  c10d::broadcast_coalesced(group_, buffers, kBroadcastBytes, 0);
}

void GradientSync::BeforeForward() {
  reducer_->prepare_for_forward();
  if (reducer_->rebuild_buckets()) ReadBuckets();
}

void GradientSync::BeforeBackward(const at::Tensor& loss) {
  backward_start_s_ = MonotonicSeconds();
  reducer_->prepare_for_backward({loss});
}

GradientSync::Times GradientSync::TakeTimes() {
  const double begin = MonotonicSeconds();
  Times times;
  // Nanoseconds since prepare_for_backward, for each parameter.
  const std::vector<std::int64_t> ready_ns = reducer_->get_backward_stats();
  const auto ready_s = [&](std::size_t parameter) {
    return backward_start_s_ + 1e-9 * static_cast<double>(ready_ns.at(parameter));
  };
  for (std::size_t i = 0; i < ready_ns.size(); ++i) {
    times.last_gradient_s = std::max(times.last_gradient_s, ready_s(i));
  }
  own_seconds_ += MonotonicSeconds() - begin;
  const std::vector<AllReduceTimes> reductions = group_->TakeTimes();
  const double again = MonotonicSeconds();
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    BucketTimes bucket{.bytes = reductions[i].bytes,
                       .ready_s = reductions[i].begin_s,
                       .begin_s = reductions[i].begin_s,
                       .end_s = reductions[i].end_s};
    // The Reducer hands buckets over in their order, so the i-th all-reduce is the i-th bucket. A bucket
    // may have been ready before: it waits until those in front of it have been handed over.
    if (i < bucket_parameters_.size() && !bucket_parameters_[i].empty()) {
      double last = 0;
      for (const std::size_t parameter : bucket_parameters_[i]) last = std::max(last, ready_s(parameter));
      bucket.ready_s = std::min(last, bucket.begin_s);
    }
    times.buckets.push_back(bucket);
  }
  own_seconds_ += MonotonicSeconds() - again;
  return times;
}

void GradientSync::ReadBuckets() {
  bucket_parameters_.clear();
  for (const c10d::GradBucket& bucket : reducer_->get_grad_buckets(/*return_zero_tensors=*/true)) {
    std::vector<std::size_t> indices;
    for (const at::Tensor& parameter : bucket.getParameters()) {
      indices.push_back(parameter_index_.at(parameter.unsafeGetTensorImpl()));
    }
    bucket_parameters_.push_back(std::move(indices));
  }
}

}  // namespace stallscope
