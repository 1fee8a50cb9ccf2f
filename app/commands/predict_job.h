#pragma once

#include "app/commands/predict_options.h"
#include "stallscope/document/prediction.h"

namespace stallscope {

/// Everything of the document but who wrote it when. A machine that cannot take the workload is refused with
/// the reason; where none can, that is an Error.
Prediction Predicted(const PredictFlags& flags);

}  // namespace stallscope
