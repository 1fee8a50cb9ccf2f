#pragma once

#include <string>
#include <vector>

#include "stallscope/document/survey.h"
#include "stallscope/predict/training_prediction.h"
#include "stallscope/recommend/calibrate.h"

namespace stallscope {

/// A network as it is surveyed: batch, precision and data are the plan's.
struct SurveyedModel {
  std::string name;
  TrainingPlan plan;
  std::vector<KnownRun> runs;  ///< that were measured; taken in place of predictions
};

struct SurveyRequest {
  std::vector<SurveyedModel> models;
  std::vector<std::size_t> machines;  ///< of the catalog
  std::vector<int> nodes;
  std::string region;  ///< empty: the provider's reference region
  std::string today;
};

/// Every network on every machine, on so many of them: stalls, an epoch's time and cost, and what each
/// machine is good and bad at. Pure. Who wrote it when is for the caller.
Survey SurveyMachines(const SurveyRequest& request, const Catalog& catalog, const ComputeModel& compute,
                      const ScalingParameters& scaling);

/// What the numbers of a survey say for and against one of its machines: sentences into `machine`. `gpu` may
/// be null.
void AddTraits(const Survey& survey, const Machine& facts, const Gpu* gpu, SurveyMachine& machine);

}  // namespace stallscope
