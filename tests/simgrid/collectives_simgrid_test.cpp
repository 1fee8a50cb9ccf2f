#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "tests/simgrid/results.h"

namespace stallscope::simulated {
namespace {

constexpr double kTolerance = 0.10;

/// "0.953 (12.3 ms)": the formula's time in parts of SimGrid's, and that.
std::string Compared(const Results& results, std::size_t cell) {
  const double simulated_s = results.simulated_s[cell];
  return fmt::format("{:.3f} ({})", results.cells[cell].formula_s / simulated_s, FormatSeconds(simulated_s));
}

/// The table of docs/models.md: three payloads a row.
std::string Table(const Results& results) {
  std::string table = "| topology | collective | 4 kB | 1 MB | 100 MB |\n|---|---|---|---|---|\n";
  for (std::size_t i = 0; i + 2 < results.cells.size(); i += 3) {
    table +=
        fmt::format("| {} | {} | {} | {} | {} |\n", results.cells[i].topology, results.cells[i].collective,
                    Compared(results, i), Compared(results, i + 1), Compared(results, i + 2));
  }
  return table;
}

TEST(CollectivesAgainstSimGrid, EveryFormulaIsWithinTenPercentOfTheFlowModel) {
  const Results& results = SimulatedCollectives();
  ASSERT_EQ(results.simulated_s.size(), results.cells.size());
  ASSERT_GE(results.cells.size(), 90u);
  for (std::size_t i = 0; i < results.cells.size(); ++i) {
    const Cell& cell = results.cells[i];
    EXPECT_NEAR(cell.formula_s / results.simulated_s[i], 1, kTolerance)
        << cell.topology << ", " << cell.collective << ", " << FormatBytes(cell.payload.value);
  }
  fmt::print("{}", Table(results));
}

TEST(CollectivesAgainstSimGrid, TheTableOfTheDocsIsThisOne) {
  std::ifstream file(STALLSCOPE_SOURCE "/docs/models.md");
  ASSERT_TRUE(file);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find(Table(SimulatedCollectives())), std::string::npos)
      << "docs/models.md shows another table than the one printed above";
}

}  // namespace
}  // namespace stallscope::simulated
