#include "stallscope/predict/predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stallscope/base/error.h"
#include "stallscope/predict/cluster_links.h"
#include "stallscope/predict/gpu_names.h"
#include "stallscope/predict/gradient_buckets.h"
#include "stallscope/predict/machine_wires.h"
#include "stallscope/predict/memory_need.h"
#include "stallscope/stats/quantiles.h"

namespace stallscope {
namespace {

constexpr double kSecondsPerHour = 3600;
/// A slice of a GPU has its share of everything, or somewhat more or less; nobody published rates of slices.
constexpr double kSliceSpread = 0.2;
/// Of a machine's memory, what training leaves to the page cache.
constexpr double kCacheableShare = 0.75;

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
  // Both came with the same generation of tensor cores.
  if (plan_.precision == "bf16" && !speed.has_tf32) {
    throw Error(fmt::format("the {} of {} has no bf16", gpu.name, machine.name), "give --dtype fp16 or fp32");
  }
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
    const double factor = std::exp(kNormal95 * estimate.log_sd);
    estimate.low = estimate.seconds / factor;
    estimate.high = estimate.seconds * factor;
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
  if (!candidate.disk && *candidate.cached_share < 1) {
    // A disk that nobody describes is no disk for nothing.
    candidate.disk = kUsualDisk;
    candidate.disk_assumed = true;
    candidate.assumed.emplace_back("disk");
  }
  if (candidate.disk) {
    candidate.fetch_s =
        samples * plan_.data->sample_bytes.value * (1 - *candidate.cached_share) / candidate.disk->value;
  }
}

/// Where no word says how GPUs are linked but somebody read the wires, rings are planned on them.
void Predictor::UseWires(MachineCandidate& candidate, const Machine& machine) const {
  if (!candidate.one.assumed.link) return;
  const std::optional<MachineTopology> topology = catalog_.TopologyOf(machine);
  if (!topology || topology->by_class) return;
  const std::optional<InsideLink> link = PlannedInside(*topology, candidate.one.gpus_per_node);
  if (!link) return;
  for (ScalingCase* scaling : {&candidate.one, &candidate.across}) {
    scaling->inside = *link;
    scaling->assumed.link = false;
  }
  for (auto* assumed : {&candidate.assumed, &candidate.assumed_across}) std::erase(*assumed, "interconnect");
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
  UseWires(candidate, machine);
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

}  // namespace stallscope
