#include "stallscope/recommend/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "stallscope/stats/quantiles.h"

namespace stallscope {
namespace {

constexpr double kSameMachine = 0.95;
constexpr double kPerDoubling = 0.9;
const double kInterval = NormalQuantile(0.975);

bool Same(const KnownRun& run, const Configuration& configuration) {
  return run.machine == configuration.machine && run.nodes == configuration.nodes &&
         run.devices == configuration.devices && run.batch == configuration.batch;
}

/// What was predicted where a run is now.
struct Surprise {
  const KnownRun* run = nullptr;
  double log_ratio = 0;  ///< of the run to its prediction
  double predicted_variance = 0;
  double measured_variance = 0;
};

void Condition(Configuration& configuration, const Surprise& surprise, double correlation) {
  const double spread = LogSpread(configuration.step_s);
  const double seen = surprise.predicted_variance + surprise.measured_variance;
  if (!(seen > 0)) return;
  const double weight = correlation * spread * std::sqrt(surprise.predicted_variance) / seen;
  const double factor = std::exp(weight * surprise.log_ratio);
  const double left =
      std::max(0.0, spread * spread * (1 - correlation * correlation * surprise.predicted_variance / seen));
  configuration.step_s = LogNormal(configuration.step_s.mean * factor, std::sqrt(left));
  StepMeans& parts = configuration.parts;
  for (auto* part :
       {&parts.compute_s, &parts.interconnect_s, &parts.network_s, &parts.prep_s, &parts.fetch_s}) {
    if (*part) **part *= factor;
  }
  configuration.basis = StepBasis::kCalibrated;
}

}  // namespace

double Correlation(int nodes, int batch, int other_nodes, int other_batch) {
  const auto doublings = [](int a, int b) { return std::fabs(std::log2(static_cast<double>(a) / b)); };
  return kSameMachine * std::pow(kPerDoubling, doublings(nodes, other_nodes) + doublings(batch, other_batch));
}

double LogSpread(const Estimate& estimate) {
  return std::log(estimate.high / estimate.low) / (2 * kInterval);
}

Estimate LogNormal(double middle, double log_spread) {
  const double end = std::exp(kInterval * log_spread);
  return {middle, middle / end, middle * end};
}

void Calibrate(const std::vector<KnownRun>& runs, std::vector<Configuration>& configurations,
               std::vector<std::string>& origins) {
  std::map<std::size_t, std::vector<Surprise>> surprises;  // by machine
  const std::size_t predicted = configurations.size();
  for (const KnownRun& run : runs) {
    // Of several runs of one kind the first counts: the newest of the user's own.
    const auto found = std::find_if(configurations.begin(), configurations.end(),
                                    [&](const Configuration& c) { return Same(run, c); });
    const bool there = found != configurations.end();
    if (there && found->basis != StepBasis::kPredicted) continue;
    Configuration measured{.machine = run.machine,
                           .nodes = run.nodes,
                           .devices = run.devices,
                           .batch = run.batch,
                           .step_s = run.step_s,
                           .parts = run.parts,
                           .basis = run.basis,
                           .origin = origins.size()};
    origins.push_back(run.from);
    if (!there) {
      configurations.push_back(measured);
      continue;
    }
    surprises[run.machine].push_back({&run, std::log(run.step_s.mean / found->step_s.mean),
                                      std::pow(LogSpread(found->step_s), 2),
                                      std::pow(LogSpread(run.step_s), 2)});
    *found = measured;
  }
  std::map<const KnownRun*, std::size_t> origin_of;
  for (std::size_t i = 0; i < predicted; ++i) {
    Configuration& configuration = configurations[i];
    const auto near = surprises.find(configuration.machine);
    if (configuration.basis != StepBasis::kPredicted || near == surprises.end()) continue;
    const auto correlation = [&](const Surprise& s) {
      return Correlation(configuration.nodes, configuration.batch, s.run->nodes, s.run->batch);
    };
    const Surprise& nearest = *std::max_element(
        near->second.begin(), near->second.end(),
        [&](const Surprise& a, const Surprise& b) { return correlation(a) < correlation(b); });
    Condition(configuration, nearest, correlation(nearest));
    const auto [origin, fresh] = origin_of.try_emplace(nearest.run, origins.size());
    if (fresh) {
      origins.push_back(fmt::format("predicted, corrected by {} x {} measured: {}", nearest.run->nodes,
                                    nearest.run->devices / nearest.run->nodes, nearest.run->from));
    }
    configuration.origin = origin->second;
  }
}

}  // namespace stallscope
