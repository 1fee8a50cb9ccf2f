#pragma once

#include <span>

#include "stallscope/base/units.h"
#include "stallscope/cost/machine_plan.h"

namespace stallscope::cost {

/// Gradients that travel together.
struct GradientBucket {
  double ready = 1;  ///< share of the backward pass that is done when the last of them is there
  Bytes size;
};

/// One device's step, without its neighbours.
struct StepCompute {
  Seconds forward{};
  Seconds backward{};
  Seconds optimizer{};
};

enum class Overlap {
  kDuringBackward,  ///< a bucket travels as soon as it is ready and the one before it has arrived
  kAfterBackward,   ///< all of them travel once the backward pass is done
};

/// What carries the buckets, one after the other: t(bucket) = latency + bytes x seconds_per_byte.
struct Channel {
  Seconds latency{};
  double seconds_per_byte = 0;
  /// What a transfer takes from the backward pass beside it: 0 nothing, 1 everything (reduction kernels hold
  /// cores of the device, copies hold its memory).
  double interference = 0;
  Overlap overlap = Overlap::kDuringBackward;
  /// What the device itself does for a bucket: gathers its gradients before they travel, and when the
  /// backward pass is over and the bucket has arrived, scatters them again.
  double gather_s_per_byte = 0;
  double scatter_s_per_byte = 0;
};

struct StepTimes {
  Seconds step{};
  Seconds transfer{};  ///< the channel is busy
  Seconds exposed{};   ///< step - compute: what communication costs
};

/// One step as events: the forward pass, the backward pass bucket by bucket, the channel, the optimiser.
/// While the channel is busy the backward pass advances at 1 - interference of its speed. `buckets` are in
/// the order of their readiness. Nothing is allocated, and nothing but the arguments matters.
StepTimes SimulateStep(const StepCompute& compute, std::span<const GradientBucket> buckets,
                       const Channel& channel);

/// The same where the transfer of each bucket is known: in place of the channel's latency and rate. There are
/// as many as buckets.
StepTimes SimulateStep(const StepCompute& compute, std::span<const GradientBucket> buckets,
                       const Channel& channel, std::span<const double> transfer_s);

/// The same with ring all-reduces on a machine's wires, or through the NICs of several such machines: a
/// bucket takes FlatAllReduceTime.
StepTimes SimulateStep(const StepCompute& compute, std::span<const GradientBucket> buckets,
                       const MachinePlan& plan, int machines, double interference = 0);

}  // namespace stallscope::cost
