#include "stallscope/recommend/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "stallscope/base/error.h"
#include "stallscope/predict/memory_need.h"
#include "stallscope/predict/predictor.h"

namespace stallscope {
namespace {

constexpr double kBytesPerElement = 4;

class Forecaster {
 public:
  Forecaster(const TrainingPlan& plan, const ForecastRange& range, const Catalog& catalog,
             const ComputeModel& compute, const ScalingParameters& scaling)
      : plan_(plan), range_(range), catalog_(catalog), compute_(compute), scaling_(scaling) {}

  Forecast Run() {
    for (const std::size_t machine : range_.machines) Take(machine);
    return std::move(forecast_);
  }

 private:
  /// One batch of one machine, or why there is none.
  struct Tried {
    std::optional<MachineCandidate> candidate;
    const Predictor* predictor = nullptr;
    std::size_t origin = 0;
    std::size_t origin_across = 0;  ///< of several machines: their network may have been assumed
  };

  void Take(std::size_t machine) {
    tried_.clear();
    problem_.reset();
    const std::size_t before = forecast_.configurations.size();
    const int gpus = std::max(1, static_cast<int>(catalog_.machines()[machine].gpus));
    for (const int batch : BatchesOf(gpus)) {
      for (int nodes = 1; nodes <= range_.max_nodes; ++nodes) {
        const std::int64_t devices = static_cast<std::int64_t>(gpus) * nodes;
        if (range_.global_batch && batch * devices != *range_.global_batch) continue;
        if (range_.most_global_batch && batch * devices > *range_.most_global_batch) {
          Complain(machine, "batch",
                   fmt::format("{} x {} samples are more than --max-global-batch {}", devices, batch,
                               *range_.most_global_batch));
          break;
        }
        if (!Predict(machine, batch, nodes)) break;
      }
    }
    if (forecast_.configurations.size() != before) return;
    if (!problem_ && range_.global_batch) {
      Complain(machine, "batch",
               fmt::format("{} samples cannot be shared evenly by its {} device{}", *range_.global_batch,
                           gpus, gpus == 1 ? "" : "s"));
    }
    if (problem_) forecast_.problems.push_back(*problem_);
  }

  /// The largest first: with a fixed global batch, one machine has the largest.
  std::vector<int> BatchesOf(int gpus) const {
    if (!range_.global_batch) return range_.batches;
    std::vector<int> batches;
    for (int nodes = 1; nodes <= range_.max_nodes; ++nodes) {
      const std::int64_t devices = static_cast<std::int64_t>(gpus) * nodes;
      if (*range_.global_batch % devices == 0) {
        batches.push_back(static_cast<int>(*range_.global_batch / devices));
      }
    }
    return batches;
  }

  void Complain(std::size_t machine, const char* reason, const std::string& detail) {
    // A machine that is too small for one batch may do with another; the last complaint is of the least.
    problem_ = MachineProblem{machine, reason, detail};
  }

  bool Predict(std::size_t machine, int batch, int nodes) {
    const auto found = tried_.find(batch);
    const Tried& tried = found != tried_.end() ? found->second : Prepare(machine, batch);
    if (!tried.candidate) return false;
    const FastPrediction p = tried.predictor->Predict(*tried.candidate, nodes);
    const auto mean = [](const std::optional<Estimate>& part) {
      return part ? std::optional(part->mean) : std::nullopt;
    };
    forecast_.configurations.push_back({.machine = machine,
                                        .nodes = nodes,
                                        .devices = p.devices,
                                        .batch = batch,
                                        .step_s = p.step_s,
                                        .parts = {p.compute_s.mean, p.interconnect_s.mean, p.network_s.mean,
                                                  mean(p.prep_s), mean(p.fetch_s)},
                                        .basis = StepBasis::kPredicted,
                                        .origin = nodes > 1 ? tried.origin_across : tried.origin});
    return true;
  }

  static std::string OriginOf(const MachineCandidate& candidate, const std::vector<std::string>& assumed) {
    std::string text = fmt::format("{}: {}", BasisName(candidate.compute.basis), candidate.compute.from);
    if (!assumed.empty()) text += fmt::format("; not in the catalog, assumed: {}", fmt::join(assumed, ", "));
    return text;
  }

  const Tried& Prepare(std::size_t machine, int batch) {
    Tried& tried = tried_[batch];
    if (!Fits(machine, batch)) return tried;
    const Machine& facts = catalog_.machines()[machine];
    // What was measured on one GPU is another time on another, and on a part of it.
    std::unique_ptr<Predictor>& predictor = predictors_[{
        batch, plan_.measured ? fmt::format("{} {:g}", facts.gpu, std::min(1.0, facts.gpus)) : ""}];
    try {
      if (!predictor) {
        TrainingPlan plan = plan_;
        plan.batch = batch;
        if (plan.measured && range_.compute_on) plan.measured->compute = range_.compute_on(facts);
        predictor = std::make_unique<Predictor>(plan, catalog_, compute_, scaling_);
      }
      tried.candidate = predictor->Prepare(facts);
      tried.predictor = predictor.get();
      tried.origin = forecast_.origins.size();
      forecast_.origins.push_back(OriginOf(*tried.candidate, tried.candidate->assumed));
      tried.origin_across = forecast_.origins.size();
      forecast_.origins.push_back(OriginOf(*tried.candidate, tried.candidate->assumed_across));
    } catch (const UsageError&) {
      throw;
    } catch (const Error& error) {
      Complain(machine, "no-rate", error.what());
    }
    return tried;
  }

  bool IsOfTheZoo() {
    if (network_) return true;
    try {
      network_ = BuildNetwork(plan_.model, plan_.network);
    } catch (const UsageError&) {
      return false;
    }
    return true;
  }

  /// By the machine's own memory, which slices of a GPU have less of.
  bool Fits(std::size_t index, int batch) {
    if (plan_.measured && !IsOfTheZoo()) return true;  // what a program of the user's needs is not known
    const Machine& machine = catalog_.machines()[index];
    const auto memory = MemoryPerGpu(machine, catalog_.GpuOrNull(machine.gpu));
    if (!memory) return true;
    if (!network_) network_ = BuildNetwork(plan_.model, plan_.network);
    auto [need, fresh] = needs_.try_emplace(batch, 0.0);
    if (fresh) {
      const Workload workload{batch, ParseDtype(plan_.precision), ParseStack(plan_.stack), {}};
      need->second = MemoryNeeded(*network_, workload, UsualOptimizerSlots(*network_)).least;
    }
    if (need->second <= Capacity(*memory)) return true;
    const std::string part = machine.gpus < 1 ? fmt::format("{:.3g} of a ", machine.gpus) : "";
    Complain(index, "memory",
             fmt::format("{} with {} samples needs at least {}, and its {}{} has {}", plan_.model, batch,
                         FormatBytes(need->second), part, machine.gpu, FormatBytes(Capacity(*memory))));
    return false;
  }

  const TrainingPlan& plan_;
  const ForecastRange& range_;
  const Catalog& catalog_;
  const ComputeModel& compute_;
  const ScalingParameters& scaling_;
  Forecast forecast_;
  std::optional<Network> network_;
  std::map<int, double> needs_;  ///< bytes, by batch
  std::map<std::pair<int, std::string>, std::unique_ptr<Predictor>> predictors_;
  std::map<int, Tried> tried_;  ///< of one machine, by batch
  std::optional<MachineProblem> problem_;
};

}  // namespace

Forecast ForecastAll(const TrainingPlan& plan, const ForecastRange& range, const Catalog& catalog,
                     const ComputeModel& compute, const ScalingParameters& scaling) {
  return Forecaster(plan, range, catalog, compute, scaling).Run();
}

double CheckpointBytes(const Network& network) {
  return static_cast<double>(Totals(network).parameters) * kBytesPerElement *
         (1 + UsualOptimizerSlots(network));
}

}  // namespace stallscope
