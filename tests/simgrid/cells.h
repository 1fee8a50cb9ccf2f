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
  Schedule schedule;
};

/// All cells of the table in docs/models.md, on one platform.
struct Cells {
  Platform platform;
  std::vector<Cell> cells;
};
Cells AllCells();

}  // namespace stallscope::simulated
