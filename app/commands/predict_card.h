#pragma once

#include "app/commands/predict_options.h"
#include "stallscope/document/prediction.h"
#include "stallscope/document/profile.h"

namespace stallscope {

/// A profile that was measured on processors, on machines like the one of --machine. Throws Error.
Prediction PredictedOnCard(const PredictFlags& flags, const Profile& profile, const MachineCard& card);

}  // namespace stallscope
