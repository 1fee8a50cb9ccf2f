#pragma once

#include <string>
#include <vector>

#include "stallscope/base/units.h"
#include "tests/simgrid/platform.h"

namespace stallscope::simulated {

/// One collective on one topology with one payload: what the formula says, and the messages to simulate.
struct Cell {
  std::string topology;
  std::string collective;
  Bytes payload;
  double formula_s = 0;
  double exposed_s = 0;    ///< of a step: what the exchange adds to computing
  double reckoning_s = 0;  ///< of a step: what our own evaluation took on this machine's clock
  Schedule schedule;
};

/// All cells of the table in docs/models.md, on one platform.
struct Cells {
  Platform platform;
  std::vector<Cell> cells;
};
Cells AllCells();

/// Whole training steps, added to the same platform: `collective` is the network, `payload` its gradients.
void AddSteps(Cells& cells);

}  // namespace stallscope::simulated
