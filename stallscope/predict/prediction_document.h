#pragma once

#include <string>

#include "stallscope/document/prediction.h"
#include "stallscope/predict/training_prediction.h"

namespace stallscope {

/// What the words about a prediction are made of.
struct PredictionContext {
  const Machine& machine;
  const ScalingParameters& scaling;
  int nodes = 1;
  bool images = true;                       ///< that a loader decodes, where there is data
  std::string compute_basis;                ///< in place of the prediction's, where the workload was measured
  std::string loader_basis;                 ///< likewise
  std::optional<std::string> not_for_rent;  ///< why the machine's price does not fit it
  std::string today;                        ///< UTC, for the age of prices
};

/// The prediction as the document has it: what does not apply is absent with a reason.
PredictedMachine ToDocument(const TrainingPrediction& prediction, const PredictionContext& context);

/// "published", "scaled" or "table".
const char* BasisWord(ComputeBasis basis);

/// The weaker of two.
const std::string& WeakerBasis(const std::string& one, const std::string& other);

}  // namespace stallscope
