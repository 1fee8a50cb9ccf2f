#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/predict/training_prediction.h"

namespace stallscope {

/// Uncertain quantities of a prediction: the scaling model's parameters, the compute time, the disk's rate.
inline constexpr std::size_t kCompute = kParameters;
inline constexpr std::size_t kDisk = kParameters + 1;

/// Of a machine whose disk the catalog does not know. An assumption: what general-purpose volumes of clouds
/// are sold with lies between 125 MB/s and some GB/s, and the interval spans that.
inline constexpr BytesPerSecond kUsualDisk{500e6};
inline constexpr std::size_t kUncertain = kParameters + 2;

/// A machine as a plan would use it, with everything reckoned that does not depend on how many there are.
/// Refers to the Predictor that made it.
struct MachineCandidate {
  ScalingCase one;     ///< a machine alone, nothing loaded
  ScalingCase across;  ///< one of several: with the network between them
  ScalingCase loaded;  ///< what loading adds to either: real_data, prepared_per_step
  ComputeEstimate compute;
  std::optional<double> fetch_s;       ///< of storage alone, in each step
  std::optional<double> usd_per_s;     ///< of one machine
  std::optional<double> cached_share;  ///< with data
  std::optional<BytesPerSecond> disk;
  bool disk_assumed = false;
  std::optional<Price> price;
  std::string gpu;
  std::vector<std::string> assumed;         ///< of a machine alone
  std::vector<std::string> assumed_across;  ///< of several

  /// Steps of a machine alone: the model's own, and one deviation above and below in each quantity.
  double one_s = 0;
  std::array<double, kParameters + 1> one_above{};
  std::array<double, kParameters + 1> one_below{};
};

/// The numbers of a TrainingPrediction, without a word and without an allocation.
struct FastPrediction {
  int devices = 1;
  Estimate step_s;
  Estimate samples_per_s;
  Estimate compute_s;
  Estimate interconnect_s;
  Estimate network_s;
  std::optional<Estimate> prep_s;
  std::optional<Estimate> fetch_s;
  std::optional<Estimate> epoch_s;
  std::optional<Estimate> epoch_usd;
  /// Of the step's logarithm, which is normal: 95 % are within 1.96 of these.
  double step_log_sd = 0;
  std::array<double, kUncertain> step_effects{};
};

/// Predictions of one workload on many machines. What does not depend on the machine is reckoned once, what
/// does not depend on their number once for each machine; then a prediction takes microseconds.
class Predictor {
 public:
  /// `plan.instance` and `plan.nodes` do not matter. The models must outlive this.
  Predictor(TrainingPlan plan, Catalog catalog, const ComputeModel& compute,
            const ScalingParameters& scaling);
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  /// Throws Error where the GPU or its rates are not known, and where the batch does not fit.
  MachineCandidate Prepare(const Machine& machine) const;

  /// `nodes` machines of that kind. May be called from any thread.
  FastPrediction Predict(const MachineCandidate& candidate, int nodes) const;
  /// The step's mean alone.
  double StepSeconds(const MachineCandidate& candidate, int nodes) const;
  /// The prediction with what it rests on.
  TrainingPrediction Explain(const MachineCandidate& candidate, int nodes) const;

 private:
  ScalingCase Base(int gpus) const;
  ComputeEstimate ComputeOn(const Machine& machine, const Gpu& gpu, std::vector<std::string>& assumed) const;
  void FillData(MachineCandidate& candidate, const Machine& machine) const;
  void UseWires(MachineCandidate& candidate, const Machine& machine) const;

  TrainingPlan plan_;
  Catalog catalog_;
  const ComputeModel& compute_;
  MovedValues values_;
  double widen_;                    ///< of the parameters' effects: what makes 1.96 of them a 95 % interval
  std::optional<Network> network_;  ///< absent where the workload was measured
  Stack stack_;
  bool stack_known_ = true;
  SampleKind kind_ = SampleKind::kImage;
  std::vector<cost::GradientBucket> buckets_;
};

}  // namespace stallscope
