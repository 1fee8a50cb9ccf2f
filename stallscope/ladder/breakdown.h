#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "stallscope/document/profile.h"
#include "stallscope/ladder/condition.h"
#include "stallscope/stats/bootstrap.h"

namespace stallscope {

/// The step time of each condition in one complete round, in seconds.
using RoundTimes = std::map<Condition, double>;

struct Breakdown {
  Stalls stalls;
  std::map<Condition, Estimate> step_times;
  Condition highest = Condition::kSolo;  ///< its step time is the denominator of all shares
  Estimate step_time;

  /// The widest half-width among compute and the stalls, as a share of the step time; what the stop
  /// rule looks at. The parts of a stall are not asked to be as precise as their sum.
  double WidestHalfWidth() const;
};

/// Differences between neighbouring rungs, paired per round. The lowest present rung is compute, and
/// each rung above adds the stall that it is named for; the sum of all is the highest rung's mean, to
/// rounding. Every round must hold the same conditions, at least one, and there must be two rounds:
/// else Error.
Breakdown BreakDown(const std::vector<RoundTimes>& rounds, std::uint64_t seed);

}  // namespace stallscope
