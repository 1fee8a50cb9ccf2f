#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/simgrid/results.h"

namespace stallscope::simulated {
namespace {

constexpr double kTolerance = 0.05;

/// The table of docs/models.md: one row for each step.
std::string Table(const Results& results) {
  std::string table =
      "| topology | network | step in SimGrid | ours to it | of it, exchange that nothing hides |\n"
      "|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < results.cells.size(); ++i) {
    const Cell& cell = results.cells[i];
    table += fmt::format("| {} | {} | {} | {:.3f} | {:.0f} % |\n", cell.topology, cell.collective,
                         FormatSeconds(results.simulated_s[i]), cell.formula_s / results.simulated_s[i],
                         100 * cell.exposed_s / cell.formula_s);
  }
  return table;
}

TEST(StepsAgainstSimGrid, EveryStepIsWithinFivePercentOfTheFlowModel) {
  const Results& results = SimulatedSteps();
  ASSERT_GE(results.cells.size(), 20u);
  for (std::size_t i = 0; i < results.cells.size(); ++i) {
    const Cell& cell = results.cells[i];
    EXPECT_NEAR(cell.formula_s / results.simulated_s[i], 1, kTolerance)
        << cell.topology << ", " << cell.collective;
  }
  fmt::print("{}", Table(results));
}

TEST(StepsAgainstSimGrid, WhatTheExchangeAddsIsWithinATenthOfTheFlowModelsWhereItIsAThirdOfTheStep) {
  const Results& results = SimulatedSteps();
  int exposed = 0;
  for (std::size_t i = 0; i < results.cells.size(); ++i) {
    const Cell& cell = results.cells[i];
    if (cell.exposed_s < cell.formula_s / 3) continue;
    ++exposed;
    const double compute = cell.formula_s - cell.exposed_s;
    EXPECT_NEAR(cell.exposed_s / (results.simulated_s[i] - compute), 1, 0.1)
        << cell.topology << ", " << cell.collective;
  }
  EXPECT_GE(exposed, 5);
}

TEST(StepsAgainstSimGrid, TheTableOfTheDocsIsThisOne) {
  std::ifstream file(STALLSCOPE_SOURCE "/docs/models.md");
  ASSERT_TRUE(file);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find(Table(SimulatedSteps())), std::string::npos)
      << "docs/models.md shows another table than the one printed above";
}

}  // namespace
}  // namespace stallscope::simulated
