#include "stallscope/predict/scaling_fit.h"

#include <algorithm>
#include <cmath>

#include "stallscope/base/error.h"
#include "stallscope/predict/least_squares.h"
#include "stallscope/stats/quantiles.h"
#include "stallscope/stats/weighted_quantile.h"

namespace stallscope {
namespace {

/// The deviation of a row that a good model leaves; errors far beyond it count linearly.
constexpr double kRowDeviation = 0.05;
/// A series is worth two independent rows, however many it has: they share their system.
constexpr double kRowsWorthOfSeries = 2;

struct FittedRow {
  const MeasuredCase* known;
  const MeasuredCase* target;
  double weight;
};

std::vector<FittedRow> RowsOf(std::span<const MeasuredSeries* const> all) {
  std::vector<FittedRow> rows;
  for (const MeasuredSeries* series : all) {
    if (!series->known) continue;
    const std::size_t before = rows.size();
    for (std::size_t i = 0; i < series->cases.size(); ++i) {
      const MeasuredCase& target = series->cases[i];
      if (i == *series->known || target.reason || target.scaling.sync != GradientSync::kAllReduce) continue;
      rows.push_back({&series->cases[*series->known], &target, 0});
    }
    const double weight = std::sqrt(kRowsWorthOfSeries / static_cast<double>(rows.size() - before));
    for (std::size_t i = before; i < rows.size(); ++i) rows[i].weight = weight;
  }
  return rows;
}

/// Squared, this is close to e^2 for small errors and to 2 |e| for large ones.
double Softened(double error) {
  return std::copysign(std::sqrt(2 * (std::sqrt(1 + error * error) - 1)), error);
}

double FactorFor(const std::vector<FittedRow>& rows, const ParameterValues& values) {
  std::vector<WeightedValue> ratios;
  for (const FittedRow& row : rows) {
    const ScaledStep scaled = Scale(row.known->scaling, row.known->step, row.target->scaling, values);
    ratios.push_back({std::abs(std::log(scaled.step / row.target->step)) / scaled.log_spread});
  }
  return std::max(kNormal95, ratios.empty() ? 0 : WeightedQuantile(ratios, 0.95));
}

}  // namespace

ScalingParameters FitScaling(std::span<const MeasuredSeries* const> series) {
  const std::vector<FittedRow> rows = RowsOf(series);
  const ParameterValues prior = PriorValues();
  const ParameterValues spreads = PriorSpreads();
  const auto values_of = [&](std::span<const double> fitted) {
    ParameterValues values = prior;
    std::copy(fitted.begin(), fitted.end(), values.begin());
    return values;
  };
  const Residuals residuals = [&](std::span<const double> fitted, std::span<double> out) {
    const ParameterValues values = values_of(fitted);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto& [known, target, weight] = rows[i];
      const Seconds predicted = ScaledStepTime(known->scaling, known->step, target->scaling, values);
      out[i] = weight * Softened(std::log(predicted / target->step) / kRowDeviation);
    }
    for (std::size_t p = 0; p < kFittedParameters; ++p) {
      out[rows.size() + p] = (fitted[p] - prior[p]) / spreads[p];
    }
  };
  const LeastSquaresResult fit = MinimizeSquares(residuals, rows.size() + kFittedParameters,
                                                 {prior.begin(), prior.begin() + kFittedParameters},
                                                 {spreads.data(), kFittedParameters});
  ScalingParameters parameters;
  parameters.values = values_of(fit.parameters);
  std::copy(fit.standard_errors.begin(), fit.standard_errors.end(), parameters.errors.begin());
  parameters.rows = rows.size();
  parameters.interval_factor = FactorFor(rows, parameters.values);
  return parameters;
}

ScalingParameters FitToTable(const MeasuredTable& table) {
  std::vector<const MeasuredSeries*> all;
  for (const MeasuredSeries& series : table.series()) all.push_back(&series);
  return FitScaling(all);
}

std::vector<Fold> FitWithoutEachSource(const MeasuredTable& table) {
  std::vector<Fold> folds;
  for (const MeasuredSeries& series : table.series()) {
    const auto same = [&](const Fold& fold) { return fold.left_out == series.source; };
    if (std::none_of(folds.begin(), folds.end(), same)) folds.push_back({series.source, {}});
  }
  if (folds.size() < 2) {
    throw Error("all rows have one source: nothing is left to fit on without it",
                "leave --cv away, or give a table with several sources");
  }
  for (Fold& fold : folds) {
    std::vector<const MeasuredSeries*> rest;
    for (const MeasuredSeries& series : table.series()) {
      if (series.source != fold.left_out) rest.push_back(&series);
    }
    fold.parameters = FitScaling(rest);
  }
  return folds;
}

}  // namespace stallscope
