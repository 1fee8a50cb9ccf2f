#pragma once

#include <string>

#include "stallscope/document/recommendation.h"

namespace stallscope {

/// A task for SkyPilot (`sky launch FILE`) that rents the choice and starts torchrun on it; what is trained
/// there is the user's, and marked. Throws Error where there is no choice, or SkyPilot does not rent from its
/// provider.
std::string SkypilotTask(const Recommendation& recommendation);

}  // namespace stallscope
