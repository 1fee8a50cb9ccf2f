#include "stallscope/cost/step.h"

#include <algorithm>

namespace stallscope::cost {
namespace {

/// The two clocks of a step: the backward pass and the channel that carries its gradients.
class BackwardPass {
 public:
  BackwardPass(double start, double interference) : now_(start), free_(start), interference_(interference) {}

  /// The device works on for `work` seconds of undisturbed time.
  void Compute(double work) {
    const double busy = std::max(0.0, free_ - now_);
    const double done_beside_transfer = busy * (1 - interference_);
    now_ += work < done_beside_transfer ? work / (1 - interference_) : busy + (work - done_beside_transfer);
  }

  /// A bucket that is ready now joins the queue of the channel.
  void Send(double seconds) { free_ = std::max(now_, free_) + seconds; }

  double End() const { return std::max(now_, free_); }

 private:
  double now_;
  double free_;
  double interference_;
};

}  // namespace

StepTimes SimulateStep(const StepCompute& compute, std::span<const GradientBucket> buckets,
                       const Channel& channel) {
  const double backward = compute.backward.count();
  BackwardPass pass(compute.forward.count(), channel.interference);
  double transfer = 0;
  double done = 0;
  if (channel.overlap == Overlap::kAfterBackward) {
    pass.Compute(backward);
    done = 1;
  }
  for (const GradientBucket& bucket : buckets) {
    if (bucket.ready > done) {
      pass.Compute((bucket.ready - done) * backward);
      done = bucket.ready;
    }
    const double seconds = channel.latency.count() + bucket.size.value * channel.seconds_per_byte;
    pass.Send(seconds);
    transfer += seconds;
  }
  if (done < 1) pass.Compute((1 - done) * backward);
  const Seconds step = Seconds(pass.End()) + compute.optimizer;
  return {step, Seconds(transfer), step - compute.forward - compute.backward - compute.optimizer};
}

}  // namespace stallscope::cost
