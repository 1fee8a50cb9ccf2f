#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/predict/training_prediction.h"
#include "stallscope/recommend/candidate.h"

namespace stallscope {

/// Which machines, how many of them, and which batches.
struct ForecastRange {
  std::vector<std::size_t> machines;     ///< of the catalog
  std::vector<int> batches;              ///< per device
  std::optional<int> global_batch;       ///< in place of batches: shared by all devices
  std::optional<int> most_global_batch;  ///< beyond it nobody would train
  int max_nodes = 1;
  /// With a measured workload: one device's step on the GPU of that machine. Throws Error where it is not
  /// known.
  std::function<ComputeEstimate(const Machine&)> compute_on;
};

/// Why a machine has no configuration.
struct MachineProblem {
  std::size_t machine = 0;
  std::string reason;  ///< "memory", "no-rate", "batch"
  std::string detail;
};

struct Forecast {
  std::vector<Configuration> configurations;  ///< by machine, then batch, then nodes
  std::vector<std::string> origins;
  std::vector<MachineProblem> problems;
};

/// Predicts every machine with every batch on one to max_nodes machines. `plan` says what is trained; its
/// instance, nodes and batch do not matter.
Forecast ForecastAll(const TrainingPlan& plan, const ForecastRange& range, const Catalog& catalog,
                     const ComputeModel& compute, const ScalingParameters& scaling);

/// Weights and the optimiser's state: what a checkpoint holds.
double CheckpointBytes(const Network& network);

}  // namespace stallscope
