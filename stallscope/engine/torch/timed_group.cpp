#include "stallscope/engine/torch/timed_group.h"

#include "stallscope/base/clock.h"

namespace stallscope {

struct TimedGroup::Log {
  std::mutex mutex;
  std::condition_variable all_ended;
  std::vector<AllReduceTimes> times;
  std::size_t ended = 0;
  /// Steps whose times were taken; a straggler of an older one is ignored.
  std::uint64_t generation = 0;
};

TimedGroup::TimedGroup(c10::intrusive_ptr<c10d::ProcessGroup> inner)
    : c10d::ProcessGroup(inner->getRank(), inner->getSize()),
      inner_(std::move(inner)),
      log_(std::make_shared<Log>()) {}

TimedGroup::~TimedGroup() = default;

c10::intrusive_ptr<c10d::Work> TimedGroup::broadcast(std::vector<at::Tensor>& tensors,
                                                     const c10d::BroadcastOptions& options) {
  return inner_->broadcast(tensors, options);
}

c10::intrusive_ptr<c10d::Work> TimedGroup::allreduce(std::vector<at::Tensor>& tensors,
                                                     const c10d::AllreduceOptions& options) {
  if (!recording_) return inner_->allreduce(tensors, options);
  AllReduceTimes times;
  for (const at::Tensor& tensor : tensors) times.bytes += static_cast<std::int64_t>(tensor.nbytes());
  times.begin_s = MonotonicSeconds();
  auto work = inner_->allreduce(tensors, options);
  const double handed_over = MonotonicSeconds();
  std::size_t index = 0;
  std::uint64_t generation = 0;
  {
    const std::lock_guard lock(log_->mutex);
    index = log_->times.size();
    generation = log_->generation;
    log_->times.push_back(times);
  }
  work->getFuture()->addCallback([log = log_, index, generation](c10::ivalue::Future&) {
    const double now = MonotonicSeconds();
    const std::lock_guard lock(log->mutex);
    if (generation != log->generation) return;
    log->times[index].end_s = now;
    if (++log->ended == log->times.size()) log->all_ended.notify_all();
  });
  own_seconds_ += MonotonicSeconds() - handed_over;
  return work;
}

c10::intrusive_ptr<c10d::Work> TimedGroup::barrier(const c10d::BarrierOptions& options) {
  return inner_->barrier(options);
}

std::vector<AllReduceTimes> TimedGroup::TakeTimes() {
  const double begin = MonotonicSeconds();
  std::unique_lock lock(log_->mutex);
  // A future wakes its waiters before it runs its callbacks, so the last note may be microseconds away.
  log_->all_ended.wait_for(lock, std::chrono::seconds(1),
                           [this] { return log_->ended == log_->times.size(); });
  std::vector<AllReduceTimes> times = std::move(log_->times);
  log_->times.clear();
  log_->ended = 0;
  ++log_->generation;
  own_seconds_ += MonotonicSeconds() - begin;
  return times;
}

}  // namespace stallscope
