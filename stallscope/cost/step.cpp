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

  /// A bucket that is ready now joins the queue of the channel; `scatter` seconds follow its arrival.
  void Send(double seconds, double scatter) {
    free_ = std::max(now_, free_) + seconds;
    // Bucket i is scattered after those before it: the end is at least its arrival plus the scattering of i
    // and all that follow, which is that of all less what was done of those before, beside the transfer.
    latest_ = std::max(latest_, free_ - (1 - interference_) * scatter_);
    scatter_ += scatter;
  }

  double End() const { return std::max(now_, latest_) + scatter_; }

 private:
  double now_;
  double free_;
  double latest_ = 0;   ///< arrival less the scattering of the buckets before, of the bucket that counts
  double scatter_ = 0;  ///< of all buckets so far
  double interference_;
};

/// `transfer_s(bytes)` is what the channel needs for a bucket.
template <typename Transfer>
StepTimes Simulate(const StepCompute& compute, std::span<const GradientBucket> buckets,
                   const Channel& channel, const Transfer& transfer_s) {
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
    if (channel.gather_s_per_byte > 0) pass.Compute(bucket.size.value * channel.gather_s_per_byte);
    const double seconds = transfer_s(bucket.size);
    pass.Send(seconds, bucket.size.value * channel.scatter_s_per_byte);
    transfer += seconds;
  }
  if (done < 1) pass.Compute((1 - done) * backward);
  const Seconds step = Seconds(pass.End()) + compute.optimizer;
  return {step, Seconds(transfer), step - compute.forward - compute.backward - compute.optimizer};
}

}  // namespace

StepTimes SimulateStep(const StepCompute& compute, std::span<const GradientBucket> buckets,
                       const Channel& channel) {
  return Simulate(compute, buckets, channel, [&](Bytes size) {
    return channel.latency.count() + size.value * channel.seconds_per_byte;
  });
}

StepTimes SimulateStep(const StepCompute& compute, std::span<const GradientBucket> buckets,
                       const Channel& channel, std::span<const double> transfer_s) {
  const double* next = transfer_s.data();
  return Simulate(compute, buckets, channel, [&](Bytes) { return *next++; });
}

StepTimes SimulateStep(const StepCompute& compute, std::span<const GradientBucket> buckets,
                       const MachinePlan& plan, int machines, double interference) {
  return Simulate(compute, buckets, Channel{.interference = interference},
                  [&](Bytes size) { return FlatAllReduceTime(size, plan, machines).count(); });
}

}  // namespace stallscope::cost
