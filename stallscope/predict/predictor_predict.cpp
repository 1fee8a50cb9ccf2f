#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stallscope/base/error.h"
#include "stallscope/predict/predictor.h"
#include "stallscope/stats/quantiles.h"

namespace stallscope {
namespace {

/// What storage delivers against its documented rate; a guess.
constexpr double kDiskSpread = 0.2;
constexpr double kUnknownDiskSpread = 0.7;

/// A step's parts, each the growth over the rung below it, as the ladder measures them.
struct Parts {
  double compute = 0;
  double interconnect = 0;
  double network = 0;
  double prep = 0;
  double fetch = 0;
  double Step() const { return compute + interconnect + network + prep + fetch; }
};

Estimate LogNormal(double mean, double log_sd) {
  const double factor = std::exp(kNormal95 * log_sd);
  return {mean, mean / factor, mean * factor};
}

/// How far one deviation of each uncertain quantity moves a part of the step.
class Spread {
 public:
  void Add(double above, double below, double widen) {
    const double effect = (above - below) / 2 * widen;
    squares_ += effect * effect;
    stays_positive_ = stays_positive_ && above > 0 && below > 0;
    if (!stays_positive_) return;
    const double log_effect = std::log(above / below) / 2 * widen;
    log_squares_ += log_effect * log_effect;
  }
  /// A part that is there whatever happens varies by factors; one that may vanish by seconds, down to none.
  Estimate Around(double mean) const {
    if (mean > 0 && stays_positive_) return LogNormal(mean, std::sqrt(log_squares_));
    const double half = kNormal95 * std::sqrt(squares_);
    return {mean, std::max(0.0, mean - half), mean + half};
  }

 private:
  double squares_ = 0;
  double log_squares_ = 0;
  bool stays_positive_ = true;
};

Estimate Times(const Estimate& estimate, double factor) {
  return {factor * estimate.mean, factor * estimate.low, factor * estimate.high};
}

Estimate Inverse(const Estimate& estimate, double factor) {
  return {factor / estimate.mean, factor / estimate.high, factor / estimate.low};
}

/// A candidate with a number of machines: steps of its rungs for any parameters.
class Rungs {
 public:
  Rungs(const MachineCandidate& candidate, int nodes)
      : candidate_(candidate),
        cluster_case_(nodes > 1 ? candidate.across : candidate.one),
        warm_case_(WithData(nodes)),
        several_(nodes > 1),
        loads_(candidate.loaded.real_data),
        cluster_(Resized(nodes)),
        warm_(warm_case_) {}
  Rungs(const Rungs&) = delete;
  Rungs& operator=(const Rungs&) = delete;

  struct Terms {
    CaseModel::Terms cluster;
    CaseModel::Terms warm;
    bool operator==(const Terms&) const = default;
  };
  Terms TermsOf(const UnitValues& values) const {
    return {several_ ? cluster_.TermsOf(values) : CaseModel::Terms{},
            loads_ ? warm_.TermsOf(values) : CaseModel::Terms{}};
  }

  /// `one_s`: the step of a machine alone under the same conditions.
  Parts PartsOf(double compute_s, double one_s, double fetch_s, const Terms& terms) const {
    const double cluster = several_ ? cluster_.Step(compute_s, terms.cluster).step.count() : one_s;
    const double warm = loads_ ? warm_.Step(compute_s, terms.warm).step.count() : cluster;
    // Prefetching reads beside the step: only what takes longer than it is waited for.
    return {compute_s, one_s - compute_s, cluster - one_s, warm - cluster, std::max(0.0, fetch_s - warm)};
  }

  int ranks() const { return cluster_case_.ranks(); }

 private:
  const ScalingCase& Resized(int nodes) {
    cluster_case_.nodes = nodes;
    return cluster_case_;
  }
  ScalingCase WithData(int nodes) const {
    ScalingCase loaded = cluster_case_;
    loaded.nodes = nodes;
    loaded.real_data = candidate_.loaded.real_data;
    loaded.prepared_per_step = candidate_.loaded.prepared_per_step;
    return loaded;
  }

  const MachineCandidate& candidate_;
  ScalingCase cluster_case_;
  ScalingCase warm_case_;
  bool several_;
  bool loads_;
  CaseModel cluster_;
  CaseModel warm_;
};

void RequireNodes(int nodes) {
  if (nodes < 1) throw Error(fmt::format("{} machines cannot train", nodes), "take 1 or more");
}

}  // namespace

double Predictor::StepSeconds(const MachineCandidate& candidate, int nodes) const {
  RequireNodes(nodes);
  const Rungs rungs(candidate, nodes);
  return rungs
      .PartsOf(candidate.compute.seconds, candidate.one_s, candidate.fetch_s.value_or(0),
               rungs.TermsOf(values_.middle))
      .Step();
}

FastPrediction Predictor::Predict(const MachineCandidate& candidate, int nodes) const {
  RequireNodes(nodes);
  const Rungs rungs(candidate, nodes);
  const double compute_s = candidate.compute.seconds;
  const double fetch_s = candidate.fetch_s.value_or(0);
  const Rungs::Terms terms = rungs.TermsOf(values_.middle);
  const Parts mean = rungs.PartsOf(compute_s, candidate.one_s, fetch_s, terms);

  FastPrediction prediction;
  Spread interconnect;
  Spread network;
  Spread prep;
  Spread fetch;
  const auto propagate = [&](std::size_t quantity, double widen, const Parts& above, const Parts& below) {
    prediction.step_effects[quantity] = widen * std::log(above.Step() / below.Step()) / 2;
    interconnect.Add(above.interconnect, below.interconnect, widen);
    network.Add(above.network, below.network, widen);
    prep.Add(above.prep, below.prep, widen);
    fetch.Add(above.fetch, below.fetch, widen);
  };
  for (std::size_t i = 0; i < kParameters; ++i) {
    const Rungs::Terms above = rungs.TermsOf(values_.above[i]);
    // Most parameters are of other links than this machine's.
    if (above == terms && candidate.one_above[i] == candidate.one_s) continue;
    propagate(i, widen_, rungs.PartsOf(compute_s, candidate.one_above[i], fetch_s, above),
              rungs.PartsOf(compute_s, candidate.one_below[i], fetch_s, rungs.TermsOf(values_.below[i])));
  }
  const double factor = std::exp(candidate.compute.log_sd);
  propagate(kCompute, 1, rungs.PartsOf(compute_s * factor, candidate.one_above[kCompute], fetch_s, terms),
            rungs.PartsOf(compute_s / factor, candidate.one_below[kCompute], fetch_s, terms));
  if (fetch_s > 0) {
    const double slower = std::exp(candidate.disk_assumed ? kUnknownDiskSpread : kDiskSpread);
    propagate(kDisk, 1, rungs.PartsOf(compute_s, candidate.one_s, fetch_s * slower, terms),
              rungs.PartsOf(compute_s, candidate.one_s, fetch_s / slower, terms));
  }
  // What repeating a measurement does, as the intervals that validation checks have it.
  double variance = widen_ * widen_ * kRepeatSpread * kRepeatSpread;
  for (const double effect : prediction.step_effects) variance += effect * effect;
  prediction.step_log_sd = std::sqrt(variance);

  prediction.devices = rungs.ranks();
  const double samples = static_cast<double>(plan_.batch) * prediction.devices;
  prediction.step_s = LogNormal(mean.Step(), prediction.step_log_sd);
  prediction.samples_per_s = Inverse(prediction.step_s, samples);
  prediction.compute_s = LogNormal(compute_s, candidate.compute.log_sd);
  prediction.interconnect_s = interconnect.Around(mean.interconnect);
  prediction.network_s = network.Around(mean.network);
  if (!plan_.data) return prediction;
  prediction.prep_s = prep.Around(mean.prep);
  if (candidate.fetch_s) prediction.fetch_s = fetch.Around(mean.fetch);
  prediction.epoch_s = Times(prediction.step_s, std::ceil(plan_.data->samples / samples));
  if (candidate.usd_per_s) prediction.epoch_usd = Times(*prediction.epoch_s, *candidate.usd_per_s * nodes);
  return prediction;
}

TrainingPrediction Predictor::Explain(const MachineCandidate& candidate, int nodes) const {
  const FastPrediction fast = Predict(candidate, nodes);
  const ScalingCase& used = nodes > 1 ? candidate.across : candidate.one;
  TrainingPrediction prediction;
  prediction.devices = fast.devices;
  prediction.step_s = fast.step_s;
  prediction.samples_per_s = fast.samples_per_s;
  prediction.compute_s = fast.compute_s;
  prediction.interconnect_s = fast.interconnect_s;
  prediction.network_s = fast.network_s;
  prediction.prep_s = fast.prep_s;
  prediction.fetch_s = fast.fetch_s;
  prediction.epoch_s = fast.epoch_s;
  prediction.epoch_usd = fast.epoch_usd;
  prediction.basis = candidate.compute.basis;
  prediction.from = candidate.compute.from;
  prediction.devices_per_node = used.gpus_per_node;
  prediction.gpu = candidate.gpu;
  prediction.inside = used.inside;
  prediction.transport = used.transport;
  prediction.network = used.network;
  prediction.cpus = used.cpus;
  prediction.cached_share = candidate.cached_share;
  prediction.disk = candidate.disk;
  prediction.price = candidate.price;
  prediction.step_effects.assign(fast.step_effects.begin(), fast.step_effects.end());
  prediction.assumed = nodes > 1 ? candidate.assumed_across : candidate.assumed;
  return prediction;
}

}  // namespace stallscope
