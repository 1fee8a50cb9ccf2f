#pragma once

#include <vector>

#include "tests/simgrid/cells.h"

namespace stallscope::simulated {

struct Results {
  std::vector<Cell> cells;
  std::vector<double> simulated_s;
  std::vector<double> simulating_s;  ///< what each took SimGrid on this machine's clock
};

/// SimGrid runs once per process, so collectives and steps are simulated together.
const Results& SimulatedCollectives();
const Results& SimulatedSteps();

}  // namespace stallscope::simulated
