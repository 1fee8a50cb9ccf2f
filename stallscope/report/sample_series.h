#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "stallscope/document/json_fields.h"

namespace stallscope {

/// One number that samples.csv gives: a level at a moment, or a rate between two.
struct SampledValue {
  int node = 0;
  double time_s = 0;  ///< the machine's monotonic clock; of a rate, where its time ends
  std::string quantity;
  std::string unit;  ///< "cores", "B/s", "B" or "share"
  double value = 0;
};

/// All values of a run's samples.csv, in the order of the file; none where there is no such file. Rates are
/// taken between neighbouring samples of one machine and block. Throws Error.
void ForEachSample(const std::filesystem::path& folder, const std::function<void(const SampledValue&)>& take);

/// What the machines did over time, in bins that keep their extremes; empty where nothing was sampled.
Json SeriesOfSamples(const std::filesystem::path& folder);

}  // namespace stallscope
