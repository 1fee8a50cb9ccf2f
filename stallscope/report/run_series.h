#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stallscope/document/json_fields.h"

namespace stallscope {

/// What a page draws of a run's raw files: every rung's distribution of step times and their course, each
/// rank's parts, and the machines' resources over time. Long runs are gathered into bins, each of which keeps
/// its smallest and its largest value: no extreme is lost. Empty where the folder has no steps.csv.
/// `conditions`: the rungs of the document. Throws Error where a file is there and cannot be read.
Json SeriesOfRun(const std::filesystem::path& folder, const std::vector<std::string>& conditions);

}  // namespace stallscope
