#pragma once

#include <span>
#include <string>
#include <vector>

#include "stallscope/predict/measured_series.h"
#include "stallscope/predict/scaling_parameters.h"

namespace stallscope {

/// The parameters that explain the all-reduce rows of these series best, each series weighing the same:
/// robust (an outlier counts by its size, not its square), and drawn towards the priors as far as the priors
/// are sure.
ScalingParameters FitScaling(std::span<const MeasuredSeries* const> series);

/// On all series of a table.
ScalingParameters FitToTable(const MeasuredTable& table);

/// A fit without one source.
struct Fold {
  std::string left_out;
  ScalingParameters parameters;
};

/// One fold per source group, in the order of the table. Throws Error where there is only one source.
std::vector<Fold> FitWithoutEachSource(const MeasuredTable& table);

}  // namespace stallscope
