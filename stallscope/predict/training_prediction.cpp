#include "stallscope/predict/training_prediction.h"

#include "stallscope/predict/predictor.h"

namespace stallscope {

TrainingPrediction PredictTraining(const TrainingPlan& plan, const Catalog& catalog,
                                   const ComputeModel& compute, const ScalingParameters& scaling) {
  return PredictTraining(plan, catalog.FindMachine(plan.instance), catalog, compute, scaling);
}

TrainingPrediction PredictTraining(const TrainingPlan& plan, const Machine& machine, const Catalog& catalog,
                                   const ComputeModel& compute, const ScalingParameters& scaling) {
  const Predictor predictor(plan, catalog, compute, scaling);
  return predictor.Explain(predictor.Prepare(machine), plan.nodes);
}

}  // namespace stallscope
