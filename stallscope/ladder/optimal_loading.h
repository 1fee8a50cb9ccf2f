#pragma once

#include <optional>

#include "stallscope/document/profile.h"

namespace stallscope {

/// Step time of the rung that `warm` stands on: the same training, on data that costs nothing. The loader
/// hides where it keeps up with this.
std::optional<double> StepWithoutLoading(const Profile& profile);

/// What one worker, with nothing else running, needs for one device's samples of a step.
std::optional<double> OneWorkersTime(const Profile& profile);

/// The fewest workers and the smallest cache that would hide loading (docs/metrics.md). Nothing where no
/// data was measured; and each number only where what it follows from was.
std::optional<OptimalLoading> OptimalLoadingFor(const Profile& profile);

}  // namespace stallscope
