#pragma once

#include <array>
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

/// One case, with all that depends neither on the parameters nor on the compute time reckoned once. Refers to
/// the case. Nothing is allocated.
class CaseModel {
 public:
  explicit CaseModel(const ScalingCase& scaling_case);

  /// What the parameters make of the case; two sets with the same terms give the same step.
  struct Terms {
    cost::Channel channel;
    double extra = 0;      ///< of the compute time: what a job of many ranks adds to it
    double prepare_s = 0;  ///< the loader's own time
    bool operator==(const Terms& other) const;
  };
  Terms TermsOf(const UnitValues& values) const;
  /// The step of a device that needs `compute_s` alone.
  cost::StepTimes Step(double compute_s, const Terms& terms) const;
  /// The device's own time within a measured step: the inverse of Step. Where the model explains more than
  /// the whole step, a twentieth of it is left.
  double ComputeWithin(double step_s, const Terms& terms) const;
  /// How much larger the batch is than assumed; 1 where it is known.
  double BatchFactor(const UnitValues& values) const;

 private:
  double InsideRate(const UnitValues& values) const;
  double HostRate(const UnitValues& values) const;
  double NetworkRate(const UnitValues& values) const;
  cost::Channel ChannelOf(const UnitValues& values) const;

  const ScalingCase& c_;
  double latency_s_ = 0;
  double expected_maximum_ = 0;  ///< over the ranks, in standard deviations
};

/// The step of a device that needs `compute` alone.
cost::StepTimes StepOf(const ScalingCase& scaling_case, Seconds compute, const ParameterValues& values);

/// The inverse of StepOf.
Seconds ComputeWithin(const ScalingCase& measured, Seconds step, const ParameterValues& values);

/// The two sets of parameters that lie one spread above and below `values` in each parameter, in their units:
/// what intervals are propagated through. The same for all cases, so made once.
struct MovedValues {
  explicit MovedValues(const ParameterValues& values);
  UnitValues middle;
  std::array<UnitValues, kParameters> above;
  std::array<UnitValues, kParameters> below;
};

struct ScaledStep {
  Seconds step{};
  Seconds compute{};         ///< of the device alone
  double log_spread = 0;     ///< one standard deviation of the logarithm
  double exposed_share = 0;  ///< of the step, what communication costs
};

/// The step of `target`, where that of `known` was measured: the same workload at another scale.
ScaledStep Scale(const ScalingCase& known, Seconds known_step, const ScalingCase& target,
                 const ParameterValues& values);
/// The same for many of them.
ScaledStep Scale(const ScalingCase& known, Seconds known_step, const ScalingCase& target,
                 const MovedValues& values);
/// One standard deviation of the logarithm of StepOf, where the compute time is certain.
double StepSpread(const ScalingCase& scaling_case, Seconds compute, const ParameterValues& values);

/// Only the step; for fits.
Seconds ScaledStepTime(const ScalingCase& known, Seconds known_step, const ScalingCase& target,
                       const ParameterValues& values);

/// What no parameter explains: the scatter of repeated measurements of one setup.
inline constexpr double kRepeatSpread = 0.03;

}  // namespace stallscope
