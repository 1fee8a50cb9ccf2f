#include "tests/simgrid/results.h"

#include "tests/simgrid/simulator.h"

namespace stallscope::simulated {
namespace {

struct Both {
  Results collectives;
  Results steps;
};

const Both& Simulated() {
  static const Both both = [] {
    Cells all = AllCells();
    const std::size_t collectives = all.cells.size();
    AddSteps(all);
    std::vector<Schedule> schedules;
    for (Cell& cell : all.cells) schedules.push_back(std::move(cell.schedule));
    const Simulation simulation = Simulate(all.platform, schedules);
    Both parted;
    for (std::size_t i = 0; i < all.cells.size(); ++i) {
      Results& results = i < collectives ? parted.collectives : parted.steps;
      results.cells.push_back(std::move(all.cells[i]));
      results.simulated_s.push_back(simulation.simulated_s.at(i));
      results.simulating_s.push_back(simulation.simulating_s.at(i));
    }
    return parted;
  }();
  return both;
}

}  // namespace

const Results& SimulatedCollectives() {
  return Simulated().collectives;
}

const Results& SimulatedSteps() {
  return Simulated().steps;
}

}  // namespace stallscope::simulated
