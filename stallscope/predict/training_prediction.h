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
  double cached_share = 0;  ///< that memory holds: not read from storage
};

struct MeasuredWorkload {
  std::vector<cost::GradientBucket> buckets;
  ComputeEstimate compute;
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
  std::optional<PlannedData> data;  ///< absent: synthetic, nothing is loaded
  std::optional<int> workers;
  std::optional<Bytes> bucket;
  std::optional<int> gpus;
  std::optional<MeasuredWorkload> measured;
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
  std::string gpu;
  InsideLink inside;
  Transport transport = Transport::kUnknown;
  BytesPerSecond network;
  double cpus = 0;
  std::optional<BytesPerSecond> disk;
  std::optional<Price> price;
  std::vector<double> step_effects;
  std::vector<std::string> assumed;  ///< what the catalog does not say of the machine
};

/// Pure: the same arguments give the same prediction. Throws Error where the GPU's rates are not known, and
/// where the batch does not fit into its memory.
TrainingPrediction PredictTraining(const TrainingPlan& plan, const Catalog& catalog,
                                   const ComputeModel& compute, const ScalingParameters& scaling);

TrainingPrediction PredictTraining(const TrainingPlan& plan, const Machine& machine, const Catalog& catalog,
                                   const ComputeModel& compute, const ScalingParameters& scaling);

}  // namespace stallscope
