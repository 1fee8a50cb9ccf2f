#include "stallscope/predict/predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stallscope/base/error.h"
#include "stallscope/predict/cluster_links.h"
#include "stallscope/predict/gpu_names.h"
#include "stallscope/predict/gradient_buckets.h"
#include "stallscope/predict/memory_need.h"

namespace stallscope {
namespace {

constexpr double kNormal95 = 1.96;
constexpr double kSecondsPerHour = 3600;
/// What storage delivers against its documented rate; a guess.
constexpr double kDiskSpread = 0.2;
/// A slice of a GPU has its share of everything, or somewhat more or less; nobody published rates of slices.
constexpr double kSliceSpread = 0.2;
/// Of a machine's memory, what training leaves to the page cache.
constexpr double kCacheableShare = 0.75;

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

Predictor::Predictor(TrainingPlan plan, Catalog catalog, const ComputeModel& compute,
                     const ScalingParameters& scaling)
    : plan_(std::move(plan)),
      catalog_(std::move(catalog)),
      compute_(compute),
      values_(scaling.values),
      widen_(scaling.interval_factor / kNormal95) {
  const StackGuess guess = StackOf(plan_.stack);
  stack_ = guess.stack;
  stack_known_ = guess.known;
  if (plan_.batch < 1)
    throw Error(fmt::format("a batch of {} trains nothing", plan_.batch), "take 1 or more");
  if (plan_.measured) {
    kind_ = plan_.measured->kind;
    buckets_ = plan_.measured->buckets;
    return;
  }
  network_ = BuildNetwork(plan_.model, plan_.network);
  kind_ = network_->sample_kind;
  buckets_ = BucketsOf(*network_, GradientBytes(stack_, plan_.precision, kind_),
                       plan_.bucket.value_or(stack_.fuses ? kUsualBucket : Bytes{0}));
}

ScalingCase Predictor::Base(int gpus) const {
  ScalingCase base;
  base.buckets = buckets_;
  base.gpus_per_node = gpus;
  base.stack = stack_;
  return base;
}

ComputeEstimate Predictor::ComputeOn(const Machine& machine, const Gpu& gpu,
                                     std::vector<std::string>& assumed) const {
  if (plan_.measured) return plan_.measured->compute;
  GpuSpeed speed = SpeedOf(gpu);
  speed.memory = MemoryPerGpu(machine, &gpu);
  const bool slice = machine.gpus > 0 && machine.gpus < 1;
  if (slice) {
    for (double* rate : {&speed.fp32, &speed.tf32, &speed.tensor, &speed.memory_bandwidth}) {
      *rate *= machine.gpus;
    }
    speed.name = fmt::format("{:.3g} of a {}", machine.gpus, gpu.name);
  }
  const Workload workload{plan_.batch, ParseDtype(plan_.precision), ParseStack(plan_.stack), {}};
  RequireFits(*network_, workload, UsualOptimizerSlots(*network_), speed);
  ComputeEstimate estimate = compute_.Estimate(*network_, workload, speed);
  if (slice) {
    assumed.emplace_back("gpu share");
    if (estimate.basis == ComputeBasis::kPublished) estimate.basis = ComputeBasis::kOtherGpu;
    estimate.log_sd = std::hypot(estimate.log_sd, kSliceSpread);
    const Estimate interval = LogNormal(estimate.seconds, estimate.log_sd);
    estimate.low = interval.low;
    estimate.high = interval.high;
  }
  return estimate;
}

void Predictor::FillData(MachineCandidate& candidate, const Machine& machine) const {
  const double samples = static_cast<double>(plan_.batch) * candidate.one.gpus_per_node;
  candidate.loaded.real_data = true;
  if (kind_ != SampleKind::kTokens) candidate.loaded.prepared_per_step = samples;
  const double bytes = plan_.data->samples * plan_.data->sample_bytes.value;
  candidate.cached_share = plan_.data->cached_share;
  if (!candidate.cached_share) {
    const double room = machine.memory ? kCacheableShare * machine.memory->value : 0;
    candidate.cached_share = bytes > 0 ? std::min(1.0, room / bytes) : 1;
    if (!machine.memory) candidate.assumed.emplace_back("memory");
  }
  candidate.disk = SustainedDisk(machine);
  if (candidate.disk) {
    candidate.fetch_s =
        samples * plan_.data->sample_bytes.value * (1 - *candidate.cached_share) / candidate.disk->value;
  }
}

MachineCandidate Predictor::Prepare(const Machine& machine) const {
  const std::optional<ResolvedGpu> resolved = ResolveGpu(catalog_, machine.gpu);
  if (!resolved) {
    throw Error(fmt::format("the catalog does not know the GPU '{}' of {}", machine.gpu, machine.name),
                "add it with a file for --catalog");
  }
  const int has = std::max(1, static_cast<int>(machine.gpus));
  const int gpus = plan_.gpus.value_or(has);
  if (gpus < 1 || gpus > has) {
    throw Error(fmt::format("{} GPUs of {} cannot take part: it has {}", gpus, machine.name, has),
                fmt::format("take 1 to {}", has));
  }
  MachineCandidate candidate;
  candidate.gpu = resolved->gpu->name;
  candidate.compute = ComputeOn(machine, *resolved->gpu, candidate.assumed);
  if (!stack_known_) candidate.assumed.emplace_back("framework");
  if (resolved->assumed) candidate.assumed.emplace_back("gpu");
  ScalingCase base = Base(gpus);
  base.cpus = CpusOf(&machine, gpus);
  if (plan_.workers) base.cpus = std::min(base.cpus, static_cast<double>(*plan_.workers) * gpus);
  candidate.one = candidate.across = base;
  candidate.across.nodes = 2;
  if (plan_.data) FillData(candidate, machine);
  candidate.assumed_across = candidate.assumed;
  const LinkDescription links{.gpu = resolved->gpu, .machine = &machine};
  FillLinks(candidate.one, links, candidate.assumed);
  FillLinks(candidate.across, links, candidate.assumed_across);
  if (const Price* price = catalog_.PriceOf(machine)) candidate.price = *price;
  if (const auto usd = catalog_.UsdPerHour(machine, "", false)) candidate.usd_per_s = *usd / kSecondsPerHour;

  const CaseModel one(candidate.one);
  const double compute_s = candidate.compute.seconds;
  const auto step = [&](double seconds, const UnitValues& values) {
    return one.Step(seconds, one.TermsOf(values)).step.count();
  };
  candidate.one_s = step(compute_s, values_.middle);
  for (std::size_t i = 0; i < kParameters; ++i) {
    candidate.one_above[i] = step(compute_s, values_.above[i]);
    candidate.one_below[i] = step(compute_s, values_.below[i]);
  }
  const double factor = std::exp(candidate.compute.log_sd);
  candidate.one_above[kCompute] = step(compute_s * factor, values_.middle);
  candidate.one_below[kCompute] = step(compute_s / factor, values_.middle);
  return candidate;
}

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
    const double slower = std::exp(kDiskSpread);
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
