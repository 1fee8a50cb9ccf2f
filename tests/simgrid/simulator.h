#pragma once

#include <span>
#include <vector>

#include "tests/simgrid/platform.h"

namespace stallscope::simulated {

/// Runs the schedules one after the other and returns how long each takes, in seconds.
///
/// SimGrid's flow model shares the links, each way apart (full duplex). A path's latency is added to what its
/// flow takes: SimGrid spends it before the flow, so that a sender could only begin its next message when the
/// last one has arrived, or would share its link between both. Once per process: SimGrid's engine is global.
std::vector<double> Simulate(const Platform& platform, std::span<const Schedule> schedules);

}  // namespace stallscope::simulated
