#pragma once

#include <span>

#include "stallscope/cost/step.h"
#include "stallscope/predict/scaling_parameters.h"
#include "stallscope/predict/stack.h"

namespace stallscope {

/// How the GPUs of a machine reach each other.
enum class InsideKind {
  kNone,  ///< one GPU, or no link is needed
  kNvlink,
  kPcie,
  kBridgeOrPcie,  ///< nobody says whether the bridge is there: the geometric mean of both
  kHostStaged,    ///< peer access is off: through host memory
};

struct InsideLink {
  InsideKind kind = InsideKind::kNone;
  BytesPerSecond
      wires;  ///< of one GPU in one direction, all that a ring can use together; none for kHostStaged
  BytesPerSecond pcie;  ///< of its x16 slot
};

enum class Transport { kRdma, kTcp, kUnknown };

enum class GradientSync { kAllReduce, kHostAllReduce, kParameterServer };

/// What a description left open and a default filled in; each widens the interval.
struct Assumed {
  bool link = false;
  bool transport = false;
  bool bandwidth = false;
  bool batch = false;
};

/// One workload on one cluster, as far as the model asks.
struct ScalingCase {
  std::span<const cost::GradientBucket> buckets;
  int gpus_per_node = 1;
  int nodes = 1;
  InsideLink inside;
  Transport transport = Transport::kRdma;
  BytesPerSecond network;  ///< of a machine, one direction
  GradientSync sync = GradientSync::kAllReduce;
  Stack stack;
  bool real_data = false;
  /// Images that a machine must decode in each step; 0 where nothing is decoded.
  double prepared_per_step = 0;
  double cpus = 16;  ///< hardware threads of a machine
  Assumed assumed;

  int ranks() const { return gpus_per_node * nodes; }
};

/// The step of a device that needs `compute` alone.
cost::StepTimes StepOf(const ScalingCase& scaling_case, Seconds compute, const ParameterValues& values);

/// The device's own time within a measured step: the inverse of StepOf. Where the model explains more than
/// the whole step, a twentieth of it is left.
Seconds ComputeWithin(const ScalingCase& measured, Seconds step, const ParameterValues& values);

struct ScaledStep {
  Seconds step{};
  Seconds compute{};         ///< of the device alone
  double log_spread = 0;     ///< one standard deviation of the logarithm
  double exposed_share = 0;  ///< of the step, what communication costs
};

/// The step of `target`, where that of `known` was measured: the same workload at another scale.
ScaledStep Scale(const ScalingCase& known, Seconds known_step, const ScalingCase& target,
                 const ParameterValues& values);
/// One standard deviation of the logarithm of StepOf, where the compute time is certain.
double StepSpread(const ScalingCase& scaling_case, Seconds compute, const ParameterValues& values);

/// Only the step; for fits.
Seconds ScaledStepTime(const ScalingCase& known, Seconds known_step, const ScalingCase& target,
                       const ParameterValues& values);

/// What no parameter explains: the scatter of repeated measurements of one setup.
inline constexpr double kRepeatSpread = 0.03;

}  // namespace stallscope
