#include "stallscope/predict/error_measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "stallscope/stats/weighted_quantile.h"

namespace stallscope {
namespace {

constexpr std::size_t kWorstRows = 10;

double AbsoluteError(const ValidatedRow& row) {
  return std::abs(*row.error);
}

std::vector<const ValidatedRow*> Chosen(const std::vector<ValidatedRow>& rows, const RowChoice& choice) {
  std::vector<const ValidatedRow*> chosen;
  for (const ValidatedRow& row : rows) {
    if (row.error && choice(row)) chosen.push_back(&row);
  }
  return chosen;
}

}  // namespace

bool IsAllReduce(const ValidatedRow& row) {
  return row.sync == "allreduce";
}

std::optional<ErrorMeasures> MeasureErrors(const std::vector<ValidatedRow>& rows, const RowChoice& choice) {
  const std::vector<const ValidatedRow*> chosen = Chosen(rows, choice);
  if (chosen.empty()) return std::nullopt;
  std::map<std::string, int> rows_of_series;
  for (const ValidatedRow* row : chosen) ++rows_of_series[row->series];
  ErrorMeasures measures;
  measures.rows = static_cast<int>(chosen.size());
  measures.series = static_cast<int>(rows_of_series.size());
  std::vector<WeightedValue> errors;
  std::vector<WeightedValue> half_widths;
  int inside = 0;
  for (const ValidatedRow* row : chosen) {
    const double weight = 1.0 / rows_of_series[row->series];
    measures.mape += weight * AbsoluteError(*row) / measures.series;
    measures.bias += weight * *row->error / measures.series;
    errors.push_back({AbsoluteError(*row), weight});
    half_widths.push_back({(*row->high - *row->low) / 2 / *row->predicted});
    inside += *row->low <= *row->measured && *row->measured <= *row->high ? 1 : 0;
  }
  measures.median = WeightedQuantile(errors, 0.5);
  measures.percentile90 = WeightedQuantile(errors, 0.9);
  measures.half_width = WeightedQuantile(half_widths, 0.5);
  measures.coverage = static_cast<double>(inside) / measures.rows;
  return measures;
}

std::vector<ErrorGroup> GroupErrors(const std::vector<ValidatedRow>& rows, const std::string& by,
                                    const std::function<std::string(const ValidatedRow&)>& name_of,
                                    const RowChoice& choice) {
  std::set<std::string> names;
  for (const ValidatedRow* row : Chosen(rows, choice)) names.insert(name_of(*row));
  std::vector<ErrorGroup> groups;
  for (const std::string& name : names) {
    const auto measures =
        MeasureErrors(rows, [&](const ValidatedRow& row) { return choice(row) && name_of(row) == name; });
    if (measures) groups.push_back({by, name, *measures});
  }
  return groups;
}

void Summarize(Validation& validation) {
  const std::vector<ValidatedRow>& rows = validation.rows;
  validation.all_reduce = MeasureErrors(rows, IsAllReduce);
  validation.several_nodes =
      MeasureErrors(rows, [](const ValidatedRow& row) { return IsAllReduce(row) && row.nodes > 1; });
  validation.apart = GroupErrors(
      rows, "sync", [](const auto& row) { return row.sync; }, std::not_fn(IsAllReduce));
  validation.groups.clear();
  const auto add = [&](const std::string& by, const auto& name_of) {
    for (ErrorGroup& group : GroupErrors(rows, by, name_of, IsAllReduce)) {
      validation.groups.push_back(std::move(group));
    }
  };
  add("network", [](const ValidatedRow& row) { return row.network; });
  add("gpu", [](const ValidatedRow& row) { return row.gpu; });
  add("interconnect", [](const ValidatedRow& row) { return row.interconnect; });
  // Padded, so that the order of the names is that of the numbers.
  add("nodes", [](const ValidatedRow& row) { return fmt::format("{:>4}", row.nodes); });
  add("source", [](const ValidatedRow& row) { return row.source; });
  add("framework", [](const ValidatedRow& row) { return row.framework; });
  add("basis", [](const ValidatedRow& row) { return row.basis.value_or(""); });
  for (ErrorGroup& group : validation.groups) group.name.erase(0, group.name.find_first_not_of(' '));
  validation.worst.clear();
  validation.unpredicted = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].error) validation.worst.push_back(i);
    if (!rows[i].known && rows[i].reason) ++validation.unpredicted;
  }
  std::stable_sort(validation.worst.begin(), validation.worst.end(), [&](std::size_t a, std::size_t b) {
    return AbsoluteError(rows[a]) > AbsoluteError(rows[b]);
  });
  validation.worst.resize(std::min(validation.worst.size(), kWorstRows));
}

}  // namespace stallscope
