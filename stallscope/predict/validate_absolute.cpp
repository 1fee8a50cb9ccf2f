#include "stallscope/predict/validate_absolute.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "stallscope/base/error.h"
#include "stallscope/predict/compute_model.h"
#include "stallscope/predict/error_measures.h"
#include "stallscope/predict/gpu_names.h"
#include "stallscope/predict/scaling_fit.h"
#include "stallscope/predict/validate_scaling.h"
#include "stallscope/stats/quantiles.h"

namespace stallscope {
namespace {

/// What twice or half the batch does to a rate: GPUs that train at all are nearly full.
constexpr double kUnknownBatchSpread = 0.15;

/// The models for one source's rows, which know nothing of it.
struct Outsider {
  ComputeModel compute;
  ScalingParameters scaling;
};

FittedSet Describe(const Outsider& outsider, const std::string& left_out) {
  FittedSet set = DescribeParameters(outsider.scaling, left_out);
  const ComputeParameters& compute = outsider.compute.parameters();
  for (std::size_t i = 0; i < compute.logs.size(); ++i) {
    const double half = kNormal95 * compute.log_errors[i];
    set.values.push_back({RooflineTermName(static_cast<RooflineTerm>(i)), "roofline",
                          std::exp(compute.logs[i]), std::exp(compute.logs[i] - half),
                          std::exp(compute.logs[i] + half)});
  }
  return set;
}

class AbsoluteValidator {
 public:
  explicit AbsoluteValidator(const MeasuredTable& table) : table_(table) {}

  void Predict(ValidatedRow& row, const MeasuredCase& target, const Outsider& outsider) {
    if (!target.gpu) {
      row.reason = fmt::format("the catalog does not know the GPU '{}'", target.row.gpu);
      return;
    }
    try {
      PredictOn(row, target, SpeedOf(*target.gpu), outsider);
    } catch (const Error& error) {
      row.reason = error.what();
    }
  }

 private:
  void PredictOn(ValidatedRow& row, const MeasuredCase& target, const GpuSpeed& gpu,
                 const Outsider& outsider) {
    const Measurement& measured = target.row;
    Workload workload;
    workload.batch = std::max(1, static_cast<int>(std::lround(target.batch)));
    workload.dtype = ParseDtype(measured.precision.empty() ? "fp32" : measured.precision);
    const std::string& stack = table_.defaults().stack;
    workload.stack =
        ParseStack(stack.empty() ? measured.framework : stack, measured.notes, measured.where, measured.year);
    const ComputeEstimate compute = outsider.compute.Estimate(NetworkOf(measured), workload, gpu);
    const ParameterValues& values = outsider.scaling.values;
    const auto step_with = [&](double seconds) {
      return StepOf(target.scaling, Seconds(seconds), values).step.count();
    };
    const double step = step_with(compute.seconds);
    // By how much the step follows its compute time: less than in proportion where it waits for others.
    const double follows = std::log(step_with(compute.seconds * std::exp(compute.log_sd)) /
                                    step_with(compute.seconds * std::exp(-compute.log_sd))) /
                           2;
    double deviation =
        std::hypot(kNormal95 * follows, outsider.scaling.interval_factor *
                                            StepSpread(target.scaling, Seconds(compute.seconds), values));
    if (target.scaling.assumed.batch) deviation = std::hypot(deviation, kNormal95 * kUnknownBatchSpread);
    row.predicted = target.batch * target.scaling.ranks() / step;
    row.low = *row.predicted * std::exp(-deviation);
    row.high = *row.predicted * std::exp(deviation);
    row.error = *row.predicted / *row.measured - 1;
    row.basis = BasisName(compute.basis);
  }

  const Network& NetworkOf(const Measurement& row) {
    const std::string key = fmt::format("{}/{}", row.network, row.sequence_length.value_or(0));
    const auto found = networks_.find(key);
    if (found != networks_.end()) return found->second;
    NetworkOptions options;
    options.sequence_length = row.sequence_length;
    return networks_.emplace(key, BuildNetwork(row.network, options)).first->second;
  }

  const MeasuredTable& table_;
  std::map<std::string, Network> networks_;
};

Outsider MakeOutsider(const MeasuredTable& table, const std::string& source, bool refit) {
  const GpuLookup gpus = SpeedsOf(table.catalog());
  const RateTable rates = RateTable::Shipped().WithoutSource(source);
  if (!refit) return {ComputeModel(ComputeParameters::Shipped(), rates, gpus), ShippedParameters()};
  std::vector<const MeasuredSeries*> others;
  for (const MeasuredSeries& series : table.series()) {
    if (series.source != source) others.push_back(&series);
  }
  return {ComputeModel(FitComputeParameters(rates, gpus), rates, gpus), FitScaling(others)};
}

}  // namespace

Validation ValidateAbsolute(const MeasuredTable& table, bool refit, const Say& say) {
  Validation validation;
  validation.mode = "absolute";
  if (refit) validation.left_out_by = "source";
  std::map<std::string, Outsider> outsiders;
  AbsoluteValidator validator(table);
  for (const MeasuredSeries& series : table.series()) {
    auto outsider = outsiders.find(series.source);
    if (outsider == outsiders.end()) {
      if (refit) say(fmt::format("fitting without {}", series.source));
      outsider = outsiders.emplace(series.source, MakeOutsider(table, series.source, refit)).first;
      if (refit) validation.parameters.push_back(Describe(outsider->second, series.source));
      if (!refit && validation.parameters.empty())
        validation.parameters.push_back(Describe(outsider->second, ""));
    }
    for (const MeasuredCase& target : series.cases) {
      ValidatedRow row = DescribeRow(target);
      if (!row.reason) validator.Predict(row, target, outsider->second);
      validation.rows.push_back(std::move(row));
    }
  }
  std::stable_sort(validation.rows.begin(), validation.rows.end(),
                   [](const ValidatedRow& a, const ValidatedRow& b) { return a.line < b.line; });
  Summarize(validation);
  return validation;
}

}  // namespace stallscope
