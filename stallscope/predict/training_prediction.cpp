#include "stallscope/predict/training_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stallscope/base/error.h"
#include "stallscope/predict/gpu_names.h"
#include "stallscope/predict/measured_series.h"
#include "stallscope/predict/memory_need.h"
#include "stallscope/stats/random.h"

namespace stallscope {
namespace {

constexpr double kNormal95 = 1.96;
constexpr int kDraws = 400;
constexpr std::uint64_t kSeed = 1;
constexpr double kSecondsPerHour = 3600;

/// A step's parts, each the growth over the rung below it, as the ladder measures them.
struct Parts {
  double compute = 0;
  double interconnect = 0;
  double network = 0;
  double prep = 0;
  double fetch = 0;
  double Step() const { return compute + interconnect + network + prep + fetch; }
};

/// The conditions of the plan as the scaling model takes them.
struct Conditions {
  ScalingCase node;
  ScalingCase cluster;
  ScalingCase warm;
  std::optional<double> fetch_s;  ///< storage alone
};

/// The row that a table would have for the plan: blanks are filled in one place for tables and plans alike.
Measurement RowFor(const TrainingPlan& plan, const Machine& machine, int nodes, bool real) {
  Measurement row;
  row.series = fmt::format("{}-{}", nodes, real);
  row.network = plan.model;
  row.sequence_length = plan.network.sequence_length;
  row.precision = plan.precision;
  row.gpu = machine.gpu;
  row.gpus_per_node = std::max(1, static_cast<int>(machine.gpus));
  row.nodes = nodes;
  row.batch_per_gpu = plan.batch;
  row.data = real ? "real" : "synthetic";
  row.instance = FullName(machine);
  row.framework = plan.stack;
  row.samples_per_s = 1;  // a case without a rate is of no use to tables; nothing here reads it
  return row;
}

Parts PartsOf(const Conditions& conditions, double compute_s, const ParameterValues& values) {
  const auto step = [&](const ScalingCase& scaling_case) {
    return StepOf(scaling_case, Seconds(compute_s), values).step.count();
  };
  const double node = step(conditions.node);
  const double cluster = step(conditions.cluster);
  const double warm = step(conditions.warm);
  Parts parts;
  parts.compute = compute_s;
  parts.interconnect = node - compute_s;
  parts.network = cluster - node;
  parts.prep = warm - cluster;
  // Prefetching reads beside the step: only what takes longer than it is waited for.
  parts.fetch = std::max(0.0, conditions.fetch_s.value_or(0) - warm);
  return parts;
}

/// 95 % of the draws around the model's own value.
Estimate Interval(double mean, std::vector<double> draws) {
  std::sort(draws.begin(), draws.end());
  const auto at = [&](double share) { return draws[static_cast<std::size_t>(share * (kDraws - 1))]; };
  return {mean, std::min(mean, at(0.025)), std::max(mean, at(0.975))};
}

std::optional<double> FetchSeconds(const TrainingPlan& plan, const Machine& machine, int gpus) {
  const std::optional<BytesPerSecond> disk = SustainedDisk(machine);
  if (!plan.data || !disk) return std::nullopt;
  return plan.batch * gpus * plan.data->sample_bytes.value * (1 - plan.data->cached_share) / disk->value;
}

}  // namespace

TrainingPrediction PredictTraining(const TrainingPlan& plan, const Catalog& catalog,
                                   const ComputeModel& compute, const ScalingParameters& scaling) {
  return PredictTraining(plan, catalog.FindMachine(plan.instance), catalog, compute, scaling);
}
TrainingPrediction PredictTraining(const TrainingPlan& plan, const Machine& machine, const Catalog& catalog,
                                   const ComputeModel& compute, const ScalingParameters& scaling) {
  const std::optional<ResolvedGpu> resolved = ResolveGpu(catalog, machine.gpu);
  if (!resolved) {
    throw Error(fmt::format("the catalog does not know the GPU '{}' of {}", machine.gpu, plan.instance),
                "add it with a file for --catalog");
  }
  const GpuSpeed gpu = SpeedOf(*resolved->gpu);
  const Network network = BuildNetwork(plan.model, plan.network);
  const Workload workload{plan.batch, ParseDtype(plan.precision), ParseStack(plan.stack), {}};
  RequireFits(network, workload, UsualOptimizerSlots(network), gpu);

  const bool real = plan.data.has_value();
  const MeasuredTable table({RowFor(plan, machine, 1, false), RowFor(plan, machine, plan.nodes, false),
                             RowFor(plan, machine, plan.nodes, real)},
                            catalog, {});
  std::vector<const MeasuredCase*> cases;
  for (const MeasuredSeries& series : table.series()) {
    for (const MeasuredCase& measured : series.cases) {
      if (measured.reason) throw Error(*measured.reason, "check --model and --instance");
      cases.push_back(&measured);
    }
  }
  const auto find = [&](int nodes, bool with_data) -> const MeasuredCase& {
    return **std::find_if(cases.begin(), cases.end(), [&](const MeasuredCase* measured) {
      return measured->nodes == nodes && measured->scaling.real_data == with_data;
    });
  };
  const MeasuredCase& whole = find(plan.nodes, real);
  const Conditions conditions{find(1, false).scaling, find(plan.nodes, false).scaling, whole.scaling,
                              FetchSeconds(plan, machine, whole.gpus_per_node)};

  const ComputeEstimate one = compute.Estimate(network, workload, gpu);
  const Parts mean = PartsOf(conditions, one.seconds, scaling.values);
  Random random(kSeed);
  const ParameterValues spreads = PriorSpreads();
  const double widen = scaling.interval_factor / kNormal95;
  std::vector<Parts> draws;
  for (int draw = 0; draw < kDraws; ++draw) {
    ParameterValues values = scaling.values;
    for (std::size_t i = 0; i < kFittedParameters; ++i) values[i] += widen * spreads[i] * random.Normal();
    draws.push_back(PartsOf(conditions, one.seconds * std::exp(one.log_sd * random.Normal()), values));
  }
  const auto over = [&](auto part) {
    std::vector<double> values;
    for (const Parts& draw : draws) values.push_back(part(draw));
    return Interval(part(mean), std::move(values));
  };

  TrainingPrediction prediction;
  prediction.devices = conditions.cluster.ranks();
  const double samples = static_cast<double>(plan.batch) * prediction.devices;
  prediction.step_s = over([](const Parts& parts) { return parts.Step(); });
  prediction.samples_per_s = over([&](const Parts& parts) { return samples / parts.Step(); });
  prediction.compute_s = over([](const Parts& parts) { return parts.compute; });
  prediction.interconnect_s = over([](const Parts& parts) { return parts.interconnect; });
  prediction.network_s = over([](const Parts& parts) { return parts.network; });
  if (real) {
    prediction.prep_s = over([](const Parts& parts) { return parts.prep; });
    if (conditions.fetch_s) prediction.fetch_s = over([](const Parts& parts) { return parts.fetch; });
    const double steps = std::ceil(plan.data->samples / samples);
    prediction.epoch_s = over([&](const Parts& parts) { return steps * parts.Step(); });
    if (const std::optional<double> usd = catalog.UsdPerHour(machine, "", false)) {
      const double per_second = *usd * plan.nodes / kSecondsPerHour;
      prediction.epoch_usd = over([&](const Parts& parts) { return per_second * steps * parts.Step(); });
    }
  }
  prediction.devices_per_node = whole.gpus_per_node;
  prediction.gpu = gpu.name;
  prediction.inside = conditions.cluster.inside;
  prediction.transport = conditions.cluster.transport;
  prediction.network = conditions.cluster.network;
  prediction.cpus = conditions.warm.cpus;
  prediction.disk = SustainedDisk(machine);
  if (const Price* price = catalog.PriceOf(machine, "")) prediction.price = *price;
  prediction.basis = one.basis;
  prediction.from = one.from;
  prediction.assumed = whole.assumed;
  return prediction;
}

}  // namespace stallscope
