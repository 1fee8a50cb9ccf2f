#pragma once

#include <span>
#include <vector>

#include "tests/simgrid/platform.h"

namespace stallscope::simulated {

/// Runs the schedules one after the other and returns how long each takes, in seconds, by SimGrid's flow
/// model with full-duplex links: CM02 without its TCP corrections. Once per process: SimGrid's engine is
/// global.
std::vector<double> Simulate(const Platform& platform, std::span<const Schedule> schedules);

}  // namespace stallscope::simulated
