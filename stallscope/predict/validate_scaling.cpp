#include "stallscope/predict/validate_scaling.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "stallscope/predict/error_measures.h"
#include "stallscope/stats/quantiles.h"

namespace stallscope {
namespace {

/// What is tried in place of a model: every doubling of the devices costs a twentieth.
constexpr double kConstantPerDoubling = 0.95;

std::string InsideName(const MeasuredCase& measured) {
  switch (measured.scaling.inside.kind) {
    case InsideKind::kNone:
      return "none";
    case InsideKind::kNvlink:
      return "nvlink";
    case InsideKind::kPcie:
      return "pcie";
    case InsideKind::kBridgeOrPcie:
      return "bridge-or-pcie";
    case InsideKind::kHostStaged:
      return "host";
  }
  return "?";
}

void Predict(ValidatedRow& row, const MeasuredCase& known, const MeasuredCase& target,
             const ScalingParameters& parameters) {
  const ScaledStep scaled = Scale(known.scaling, known.step, target.scaling, parameters.values);
  const double rate = target.batch * target.scaling.ranks() / scaled.step.count();
  const double factor = std::exp(parameters.interval_factor * scaled.log_spread);
  row.predicted = rate;
  row.low = rate / factor;
  row.high = rate * factor;
  row.error = rate / *row.measured - 1;
  row.basis = "scaled from the smallest row";
}

/// Adds the rows of a series, and what plain rules would have said of them.
class RowWriter {
 public:
  void Add(const MeasuredSeries& series, const ScalingParameters& parameters) {
    for (std::size_t i = 0; i < series.cases.size(); ++i) {
      const MeasuredCase& target = series.cases[i];
      ValidatedRow row = DescribeRow(target);
      row.known = series.known == i;
      if (!row.known && !row.reason) {
        const MeasuredCase& known = series.cases[*series.known];
        Predict(row, known, target, parameters);
        AddPlainRules(row, known, target);
      }
      rows.push_back(std::move(row));
    }
  }

  std::vector<ValidatedRow> rows;
  std::vector<ValidatedRow> perfect;
  std::vector<ValidatedRow> constant;

 private:
  void AddPlainRules(ValidatedRow row, const MeasuredCase& known, const MeasuredCase& target) {
    const double growth = static_cast<double>(target.scaling.ranks()) / known.scaling.ranks();
    const double rate = *known.row.samples_per_s * growth;
    row.error = rate / *row.measured - 1;
    perfect.push_back(row);
    row.error = rate * std::pow(kConstantPerDoubling, std::log2(growth)) / *row.measured - 1;
    constant.push_back(row);
  }
};

Validation Finish(RowWriter writer) {
  Validation validation;
  validation.mode = "scaling";
  // In the order of the file, whatever the series' order was.
  std::stable_sort(writer.rows.begin(), writer.rows.end(),
                   [](const ValidatedRow& a, const ValidatedRow& b) { return a.line < b.line; });
  validation.rows = std::move(writer.rows);
  Summarize(validation);
  if (const auto measures = MeasureErrors(writer.perfect, IsAllReduce)) {
    validation.perfect_scaling_mape = measures->mape;
    validation.constant_mape = MeasureErrors(writer.constant, IsAllReduce)->mape;
  }
  return validation;
}

}  // namespace

FittedSet DescribeParameters(const ScalingParameters& parameters, const std::string& left_out) {
  FittedSet set;
  if (!left_out.empty()) set.left_out = left_out;
  set.rows = static_cast<int>(parameters.rows);
  set.interval_factor = parameters.interval_factor;
  for (std::size_t i = 0; i < kFittedParameters; ++i) {
    const ParameterFacts& facts = AllParameters()[i];
    const double middle = parameters.values[i];
    const double half = kNormal95 * parameters.errors[i];
    set.values.push_back({std::string(facts.name), std::string(facts.unit), ToUnit(facts, middle),
                          ToUnit(facts, middle - half), ToUnit(facts, middle + half)});
  }
  return set;
}

ValidatedRow DescribeRow(const MeasuredCase& measured) {
  const Measurement& row = measured.row;
  return {.line = row.line,
          .series = row.series,
          .network = row.network,
          .gpu = row.gpu,
          .source = row.source,
          .framework = row.framework,
          .interconnect = InsideName(measured),
          .sync = row.sync.empty() ? "allreduce" : row.sync,
          .nodes = measured.nodes,
          .total_gpus = row.total_gpus.value_or(measured.scaling.ranks()),
          .measured = row.samples_per_s,
          .reason = measured.reason,
          .assumed = measured.assumed};
}

Validation ValidateScaling(const MeasuredTable& table, const ScalingParameters& parameters) {
  RowWriter writer;
  for (const MeasuredSeries& series : table.series()) writer.Add(series, parameters);
  Validation validation = Finish(std::move(writer));
  validation.parameters.push_back(DescribeParameters(parameters, ""));
  return validation;
}

Validation CrossValidateScaling(const MeasuredTable& table) {
  const std::vector<Fold> folds = FitWithoutEachSource(table);
  std::map<std::string, const ScalingParameters*> by_source;
  for (const Fold& fold : folds) by_source[fold.left_out] = &fold.parameters;
  RowWriter writer;
  for (const MeasuredSeries& series : table.series()) writer.Add(series, *by_source.at(series.source));
  Validation validation = Finish(std::move(writer));
  validation.left_out_by = "source";
  for (const Fold& fold : folds)
    validation.parameters.push_back(DescribeParameters(fold.parameters, fold.left_out));
  return validation;
}

}  // namespace stallscope
