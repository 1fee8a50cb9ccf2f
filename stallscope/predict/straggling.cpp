#include "stallscope/predict/straggling.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "stallscope/base/csv_table.h"
#include "stallscope/base/error.h"
#include "stallscope/cost/stragglers.h"

namespace stallscope {
namespace {

/// One step of all ranks.
struct Together {
  int ranks = 0;
  double sum = 0;
  double slowest = 0;
};

}  // namespace

std::optional<Straggling> StragglingOf(const std::string& text, const std::string& file) {
  const CsvTable table = CsvTable::Parse(text, file);
  for (const char* needed : {"condition", "round", "block", "step", "total_s", "counted"}) {
    if (table.ColumnOf(needed)) continue;
    throw Error(fmt::format("{} has no column '{}'", file, needed), "give a profile's steps.csv");
  }
  std::map<std::tuple<std::string, std::string, std::string>, Together> steps;
  for (const CsvTable::Row& line : table.rows()) {
    const CsvRow row(table, line);
    if (row.Text("condition") != "crowd" || row.Text("counted") != "1" || row.Text("polluted") == "1")
      continue;
    const double total = row.Number("total_s").value_or(0);
    Together& step = steps[{row.Text("round"), row.Text("block"), row.Text("step")}];
    ++step.ranks;
    step.sum += total;
    step.slowest = std::max(step.slowest, total);
  }
  int ranks = 0;
  for (const auto& [place, step] : steps) ranks = std::max(ranks, step.ranks);
  double mean = 0;
  double slowest = 0;
  for (const auto& [place, step] : steps) {
    if (step.ranks < ranks) continue;  // a rank's step is missing: nobody knows who was last
    mean += step.sum / ranks;
    slowest += step.slowest;
  }
  if (ranks < 2 || mean <= 0) return std::nullopt;
  return Straggling{slowest / mean - 1, ranks};
}

double StragglingAmong(const Straggling& measured, int ranks) {
  if (ranks < 2) return 0;
  return measured.share * cost::ExpectedMaximum(ranks) / cost::ExpectedMaximum(measured.ranks);
}

}  // namespace stallscope
