#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <vector>

namespace stallscope {

/// When one all-reduce was handed over and when its result had arrived, on the monotonic clock.
struct AllReduceTimes {
  std::int64_t bytes = 0;
  double begin_s = 0;
  double end_s = 0;
};

/// A process group that passes everything on to another one and notes the times of its all-reduces.
/// The Reducer keeps its own way of averaging (a communication hook would replace it), so a recorded
/// step does the same work as an unrecorded one.
class TimedGroup : public c10d::ProcessGroup {
 public:
  explicit TimedGroup(c10::intrusive_ptr<c10d::ProcessGroup> inner);
  ~TimedGroup() override;

  const std::string getBackendName() const override { return inner_->getBackendName(); }
  c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>& tensors,
                                           const c10d::BroadcastOptions& options) override;
  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors,
                                           const c10d::AllreduceOptions& options) override;
  c10::intrusive_ptr<c10d::Work> barrier(const c10d::BarrierOptions& options) override;

  void SetRecording(bool recording) { recording_ = recording; }
  /// The all-reduces since the last call, in the order of handing over; waits until each has ended.
  std::vector<AllReduceTimes> TakeTimes();
  /// What the recording itself has cost so far: the time inside its own calls.
  double OwnSeconds() const { return own_seconds_; }

 private:
  struct Log;

  c10::intrusive_ptr<c10d::ProcessGroup> inner_;
  bool recording_ = true;
  /// Shared with the callbacks, which may outlive this object when a job is torn down.
  std::shared_ptr<Log> log_;
  double own_seconds_ = 0;
};

}  // namespace stallscope
