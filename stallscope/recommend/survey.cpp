#include "stallscope/recommend/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stallscope/base/error.h"
#include "stallscope/predict/predictor.h"

namespace stallscope {
namespace {

constexpr double kSecondsPerHour = 3600;

std::optional<SurveyStall> StallOf(const std::optional<Estimate>& seconds, const Estimate& step) {
  if (!seconds) return std::nullopt;
  return SurveyStall{*seconds, seconds->mean / step.mean};
}

Estimate Scaled(const Estimate& estimate, double factor) {
  return {estimate.mean * factor, estimate.low * factor, estimate.high * factor};
}

class Surveyor {
 public:
  Surveyor(const SurveyRequest& request, const Catalog& catalog, const ComputeModel& compute,
           const ScalingParameters& scaling)
      : request_(request), catalog_(catalog), compute_(compute), scaling_(scaling) {}

  Survey Run() {
    for (const SurveyedModel& model : request_.models) {
      survey_.models.push_back(model.name);
      TakeModel(model);
    }
    for (const SurveyedModel& model : request_.models) survey_.best.push_back(Compare(model.name));
    for (const std::size_t index : request_.machines) TakeMachine(index);
    return std::move(survey_);
  }

 private:
  void TakeModel(const SurveyedModel& model) {
    const Predictor predictor(model.plan, catalog_, compute_, scaling_);
    for (const std::size_t index : request_.machines) {
      const Machine& machine = catalog_.machines()[index];
      std::optional<MachineCandidate> candidate;
      std::string reason;
      try {
        candidate = predictor.Prepare(machine);
      } catch (const Error& error) {
        reason = error.what();
      }
      for (const int nodes : request_.nodes) {
        const auto run = std::find_if(model.runs.begin(), model.runs.end(), [&](const KnownRun& known) {
          return known.machine == index && known.nodes == nodes && known.batch == model.plan.batch;
        });
        SurveyCell cell;
        if (run != model.runs.end()) {
          cell = FromRun(*run);
        } else if (candidate) {
          cell = FromPrediction(predictor, *candidate, nodes);
        } else {
          survey_.absent.push_back({machine.name, model.name, nodes, reason});
          continue;
        }
        cell.instance = machine.name;
        cell.provider = machine.provider;
        cell.model = model.name;
        cell.nodes = nodes;
        cell.batch_per_device = model.plan.batch;
        AddEpoch(cell, model, machine);
        survey_.cells.push_back(cell);
      }
    }
  }

  static SurveyCell FromPrediction(const Predictor& predictor, const MachineCandidate& candidate, int nodes) {
    const FastPrediction p = predictor.Predict(candidate, nodes);
    SurveyCell cell;
    cell.devices = p.devices;
    cell.basis = BasisName(StepBasis::kPredicted);
    cell.from = fmt::format("{}: {}", BasisName(candidate.compute.basis), candidate.compute.from);
    cell.step_time_s = p.step_s;
    cell.samples_per_s = p.samples_per_s;
    cell.compute = StallOf(p.compute_s, p.step_s);
    // One device exchanges nothing, and one machine has no network to wait for: absent, not zero.
    if (p.devices > nodes) cell.interconnect = StallOf(p.interconnect_s, p.step_s);
    if (nodes > 1) cell.network = StallOf(p.network_s, p.step_s);
    cell.prep = StallOf(p.prep_s, p.step_s);
    cell.fetch = StallOf(p.fetch_s, p.step_s);
    return cell;
  }

  static SurveyCell FromRun(const KnownRun& run) {
    SurveyCell cell;
    cell.devices = run.devices;
    cell.basis = BasisName(run.basis);
    cell.from = run.from;
    cell.step_time_s = run.step_s;
    const double samples = static_cast<double>(run.batch) * run.devices;
    cell.samples_per_s = {samples / run.step_s.mean, samples / run.step_s.high, samples / run.step_s.low};
    const auto exact = [&](const std::optional<double>& part) {
      return part ? StallOf(Estimate{*part, *part, *part}, run.step_s) : std::nullopt;
    };
    cell.compute = exact(run.parts.compute_s);
    cell.interconnect = exact(run.parts.interconnect_s);
    cell.network = exact(run.parts.network_s);
    cell.prep = exact(run.parts.prep_s);
    cell.fetch = exact(run.parts.fetch_s);
    return cell;
  }

  void AddEpoch(SurveyCell& cell, const SurveyedModel& model, const Machine& machine) const {
    if (!model.plan.data) return;
    const double steps =
        std::ceil(model.plan.data->samples / (static_cast<double>(model.plan.batch) * cell.devices));
    cell.epoch_time_s = Scaled(cell.step_time_s, steps);
    if (const auto usd = catalog_.UsdPerHour(machine, request_.region, false)) {
      cell.epoch_cost_usd = Scaled(*cell.epoch_time_s, *usd * cell.nodes / kSecondsPerHour);
    }
  }

  /// The least time and cost of a network; every cell then says how far it is from them.
  SurveyBest Compare(const std::string& model) {
    SurveyBest best{.model = model};
    std::vector<SurveyCell>& cells = survey_.cells;
    const auto least = [&](auto value) {
      std::optional<std::size_t> found;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells[i].model != model || !value(cells[i])) continue;
        if (!found || value(cells[i])->mean < value(cells[*found])->mean) found = i;
      }
      return found;
    };
    best.fastest = least([](const SurveyCell& cell) { return cell.epoch_time_s; });
    best.cheapest = least([](const SurveyCell& cell) { return cell.epoch_cost_usd; });
    for (SurveyCell& cell : cells) {
      if (cell.model != model) continue;
      if (cell.epoch_time_s && best.fastest)
        cell.relative_time = cell.epoch_time_s->mean / cells[*best.fastest].epoch_time_s->mean;
      if (cell.epoch_cost_usd && best.cheapest)
        cell.relative_cost = cell.epoch_cost_usd->mean / cells[*best.cheapest].epoch_cost_usd->mean;
    }
    return best;
  }

  void TakeMachine(std::size_t index) {
    const Machine& facts = catalog_.machines()[index];
    SurveyMachine machine{
        .instance = facts.name, .provider = facts.provider, .gpu = facts.gpu, .gpus = facts.gpus};
    const Price* price = catalog_.PriceOf(facts, request_.region);
    if (price != nullptr && price->on_demand_usd_hour) {
      machine.usd_hour = price->on_demand_usd_hour;
      machine.region = price->region;
      machine.price_date = price->date;
      machine.price_stale = IsStale(*price, request_.today);
    }
    AddTraits(survey_, facts, catalog_.GpuOrNull(facts.gpu), machine);
    survey_.machines.push_back(machine);
  }

  const SurveyRequest& request_;
  const Catalog& catalog_;
  const ComputeModel& compute_;
  const ScalingParameters& scaling_;
  Survey survey_;
};

}  // namespace

Survey SurveyMachines(const SurveyRequest& request, const Catalog& catalog, const ComputeModel& compute,
                      const ScalingParameters& scaling) {
  return Surveyor(request, catalog, compute, scaling).Run();
}

}  // namespace stallscope
