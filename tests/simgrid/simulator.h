#pragma once

#include <span>
#include <vector>

#include "tests/simgrid/platform.h"

namespace stallscope::simulated {

struct Simulation {
  std::vector<double> simulated_s;   ///< how long each schedule takes
  std::vector<double> simulating_s;  ///< how long simulating it took on this machine's clock
};

/// Runs the schedules one after the other.
///
/// SimGrid's flow model shares the links, each way apart (full duplex). A path's latency is added to what its
/// flow takes: SimGrid spends it before the flow, so that a sender could only begin its next message when the
/// last one has arrived, or would share its link between both. Once per process: SimGrid's engine is global.
Simulation Simulate(const Platform& platform, std::span<const Schedule> schedules);

}  // namespace stallscope::simulated
