#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stallscope/catalog/catalog.h"
#include "stallscope/document/estimate.h"
#include "stallscope/predict/compute_model.h"
#include "stallscope/predict/scaling_model.h"
#include "stallscope/predict/scaling_parameters.h"

namespace stallscope {

/// Where the samples come from.
struct PlannedData {
  double samples = 0;  ///< of one epoch
  Bytes sample_bytes;
  /// That memory holds: not read from storage. Absent: what a machine's memory has room for.
  std::optional<double> cached_share;
};

/// A workload that was measured elsewhere, in place of a network of the zoo.
struct MeasuredWorkload {
  std::vector<cost::GradientBucket> buckets;  ///< in the order of readiness
  ComputeEstimate compute;                    ///< of one device of the machine that is predicted
  SampleKind kind = SampleKind::kImage;
};

/// A training job on machines of the catalog that nobody has rented yet.
struct TrainingPlan {
  std::string model;  ///< as BuildNetwork takes it
  NetworkOptions network;
  int batch = 32;  ///< per GPU
  std::string precision = "fp32";
  std::string stack = "PyTorch";
  std::string instance;
  int nodes = 1;
  std::optional<PlannedData> data;           ///< absent: synthetic, nothing is loaded
  std::optional<int> workers;                ///< loaders per GPU; absent: all threads of the machine prepare
  std::optional<Bytes> bucket;               ///< 0: each tensor alone; absent: as the stack does it
  std::optional<int> gpus;                   ///< of a machine; absent: all
  std::optional<MeasuredWorkload> measured;  ///< then `model` is a name only
};

/// Seconds of a step; means are those of the model, intervals 95 % over what its parameters leave open.
struct TrainingPrediction {
  int devices = 1;
  Estimate step_s;
  Estimate samples_per_s;
  Estimate compute_s;
  Estimate interconnect_s;
  Estimate network_s;
  std::optional<Estimate> prep_s;   ///< with data
  std::optional<Estimate> fetch_s;  ///< with data, where the machine's storage rate is known
  std::optional<Estimate> epoch_s;
  std::optional<Estimate> epoch_usd;  ///< on demand in the reference region, where a price is known
  ComputeBasis basis = ComputeBasis::kTable;
  std::string from;
  int devices_per_node = 1;
  std::string gpu;  ///< as the catalog calls it
  InsideLink inside;
  Transport transport = Transport::kUnknown;  ///< this and `network`: with several machines
  BytesPerSecond network;
  double cpus = 0;                     ///< threads of a machine that prepare samples
  std::optional<double> cached_share;  ///< with data
  std::optional<BytesPerSecond> disk;  ///< that fetching was reckoned with
  std::optional<Price> price;          ///< on demand, in the reference region
  /// Of one standard deviation of each uncertain quantity on the step's logarithm: the scaling model's
  /// parameters, the compute time, the disk. Predictions that share a quantity share its deviation.
  std::vector<double> step_effects;
  std::vector<std::string> assumed;  ///< what the catalog does not say of the machine
};

/// Pure: the same arguments give the same prediction. Throws Error where the GPU's rates are not known, and
/// where the batch does not fit into its memory. One at a time; Predictor takes many machines.
TrainingPrediction PredictTraining(const TrainingPlan& plan, const Catalog& catalog,
                                   const ComputeModel& compute, const ScalingParameters& scaling);

/// On a machine that need not be in the catalog: for what-ifs.
TrainingPrediction PredictTraining(const TrainingPlan& plan, const Machine& machine, const Catalog& catalog,
                                   const ComputeModel& compute, const ScalingParameters& scaling);

}  // namespace stallscope
