// Whole training steps in SimGrid and in our own model, both in this process: how much faster is ours, and
// how far apart are they? Prints one line for each step, and the smallest ratio.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "stallscope/base/units.h"
#include "tests/simgrid/results.h"

int main() {
  using namespace stallscope;
  const simulated::Results& steps = simulated::SimulatedSteps();
  double least = 1e300;
  double worst = 0;
  for (std::size_t i = 0; i < steps.cells.size(); ++i) {
    const simulated::Cell& cell = steps.cells[i];
    const double ratio = steps.simulating_s[i] / cell.reckoning_s;
    least = std::min(least, ratio);
    worst = std::max(worst, std::abs(cell.formula_s / steps.simulated_s[i] - 1));
    fmt::print("{:44} {:32} SimGrid {:>8}, ours {:>8}: {:9.0f}x\n", cell.topology, cell.collective,
               FormatSeconds(steps.simulating_s[i]), FormatSeconds(cell.reckoning_s), ratio);
  }
  fmt::print("at least {:.0f}x, at most {:.1f} % apart; wanted: 100x, 5 %\n", least, 100 * worst);
  return least >= 100 && worst <= 0.05 ? 0 : 1;
}
