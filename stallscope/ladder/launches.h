#pragma once

#include <vector>

#include "stallscope/document/profile.h"
#include "stallscope/ladder/measure.h"

namespace stallscope {

/// One launch of a job whose `solo` needs a launch of its own, and that other launch.
struct LaunchPair {
  MeasureResult all;   ///< every rung but solo
  MeasureResult solo;  ///< solo alone; no rounds where it was not asked for
};

/// Rounds of all launches as one series: round i of a launch is completed by round i of its solo launch (by
/// the last of them where there are fewer). Where some launches have a solo launch, those without give none.
MeasureResult JoinLaunches(const std::vector<LaunchPair>& launches);

/// Launches differ by more than their rounds do (other placement, other ports, other caches), so what lies
/// between rungs of two launches, compute and contention, gets an interval over launches: never narrower than
/// before, and around the same mean, so that the ladder still closes. Nothing to do with fewer than two
/// launches.
void WidenOverLaunches(const std::vector<LaunchPair>& launches, Profile& profile);

}  // namespace stallscope
