#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/document/estimate.h"
#include "stallscope/document/host.h"
#include "stallscope/document/profile.h"

namespace stallscope {

inline constexpr const char* kObservationSchema = "stallscope.observation/1";

/// One part of a step, as a mean over steps and ranks, and its share of the step.
struct ObservedPart {
  Estimate seconds;
  Estimate share;
};

/// A whole real run, as it went: the document stallscope.observation/1. Nothing was switched, so there is no
/// ladder: parts are what the program's own thread was doing.
struct Observation {
  ToolInfo tool;
  std::string created;
  std::vector<std::string> argv;
  HostInfo host;
  std::string program;
  int ranks = 1;
  bool finished = false;           ///< false: results so far
  std::optional<int> exit_status;  ///< of the first rank that failed, else 0; absent while it runs
  std::int64_t steps = 0;          ///< that every rank made
  double observed_s = 0;           ///< from the first to the last of these steps
  /// Absent where fewer than two windows of steps were seen.
  std::optional<Estimate> step_time_s;
  std::optional<ObservedPart> data_wait, copy, forward, backward, exposed_communication, skew, optimizer;
  std::optional<ObservedPart> hook;  ///< what watching cost: the hook's own calls, within the parts above
};

std::string ToJson(const Observation& observation);

}  // namespace stallscope
