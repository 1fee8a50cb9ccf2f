#include "stallscope/predict/profiled_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stallscope/base/error.h"
#include "stallscope/predict/gpu_names.h"
#include "stallscope/predict/gradient_buckets.h"
#include "stallscope/stats/quantiles.h"

namespace stallscope {
namespace {

/// A step spends a third of its compute in the forward pass; readiness counts from there.
constexpr double kForwardShare = 1.0 / 3;
/// What programs differ by on two GPUs, beside arithmetic and memory: launches, kernels that one lacks.
constexpr double kOtherGpuSpread = 0.15;
/// Tokens of a sample, where a profile does not say how many its program reads.
constexpr std::int64_t kUsualLength = 512;

/// The network's table, where the profile's model is of the zoo.
std::optional<Network> NetworkOf(const Profile& profile) {
  const auto number = [](const std::optional<std::int64_t>& value) {
    return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
  };
  try {
    return BuildNetwork(profile.workload.model, {.image_size = number(profile.workload.image_size),
                                                 .sequence_length = number(profile.workload.sequence_length),
                                                 .classes = {}});
  } catch (const UsageError&) {
    return std::nullopt;  // a program of the user's
  }
}

const ConditionInfo* RungOf(const Profile& profile, const char* name) {
  const auto found = profile.conditions.find(name);
  return found == profile.conditions.end() ? nullptr : &found->second;
}

ComputeEstimate MeasuredCompute(const Profile& profile, const std::string& file) {
  const char* rung = RungOf(profile, "solo") ? "solo" : "crowd";
  const ConditionInfo* measured = RungOf(profile, rung);
  if (!measured) {
    throw Error(
        fmt::format("{} has neither the rung solo nor crowd, so that nobody knows one device's own time",
                    file),
        "measure it with --conditions solo,... included");
  }
  const Estimate& step = measured->step_time_s;
  ComputeEstimate compute;
  compute.seconds = step.mean;
  compute.low = step.low;
  compute.high = step.high;
  compute.log_sd = step.HalfWidth() / step.mean / kNormal95;
  compute.basis = ComputeBasis::kYours;
  compute.from = fmt::format("{} of {}, {} steps", rung, file, measured->steps);
  return compute;
}

std::optional<PlannedData> DataOf(const Profile& profile) {
  const std::optional<DatasetInfo>& dataset = profile.workload.dataset;
  if (!dataset || dataset->samples <= 0) return std::nullopt;
  const auto samples = static_cast<double>(dataset->samples);
  // What memory holds of it is the other machine's affair.
  return PlannedData{samples, {static_cast<double>(dataset->bytes) / samples}, std::nullopt};
}

/// By the layers of a network of the zoo: the measured time, times the ratio of what the compute model says
/// of both GPUs. How sure that is, the model says where the user's rate is one more among the published; what
/// the user's step takes beyond them may not scale at all, and lies half inside.
ComputeEstimate ByLayers(const Network& network, const Profile& profile, const ComputeEstimate& measured,
                         const Gpu& measured_on, const GpuSpeed& target, const Catalog& catalog) {
  constexpr const char* kYours = "yours";
  const Workload workload{BatchOf(profile), ParseDtype(PrecisionOf(profile.workload.dtype)),
                          ParseStack("PyTorch"), kYours};
  RateTable rates = RateTable::Shipped();
  rates.Add({.network = profile.workload.model,
             .image_size = network.sample_kind == SampleKind::kImage
                               ? std::optional(static_cast<int>(network.sample_shape.back()))
                               : std::nullopt,
             .sequence_length = network.sample_kind == SampleKind::kTokens
                                    ? std::optional(static_cast<int>(network.sample_shape.front()))
                                    : std::nullopt,
             .gpu = measured_on.name,
             .workload = workload,
             .samples_per_s = workload.batch / measured.seconds,
             .source = kYours,
             .where = {}});
  const ComputeModel published(ComputeParameters::Shipped(), RateTable::Shipped(), SpeedsOf(catalog));
  const double there = published.Estimate(network, workload, SpeedOf(measured_on)).seconds;
  const double here = published.Estimate(network, workload, target).seconds;
  const double scaled = measured.seconds * here / there;
  const double surplus_stays = measured.seconds > there ? here + measured.seconds - there : scaled;
  const ComputeModel model(ComputeParameters::Shipped(), rates, SpeedsOf(catalog));
  ComputeEstimate estimate = model.Estimate(network, workload, target);
  estimate.seconds = scaled;
  estimate.basis = ComputeBasis::kOtherGpu;
  estimate.log_sd = std::hypot(estimate.log_sd, std::log(surplus_stays / scaled) / 2);
  estimate.low = scaled * std::exp(-kNormal95 * estimate.log_sd);
  estimate.high = scaled * std::exp(kNormal95 * estimate.log_sd);
  estimate.from =
      fmt::format("{}, from {} to {} by the layers of {} and what published rates say of both GPUs",
                  measured.from, measured_on.name, target.name, network.name);
  return estimate;
}

ComputeEstimate ByPeaks(const Profile& profile, const ComputeEstimate& measured, const GpuSpeed& from,
                        const GpuSpeed& target) {
  const Dtype dtype = ParseDtype(PrecisionOf(profile.workload.dtype));
  const double arithmetic =
      std::log(PeakRate(from, EffectiveDtype(from, dtype)) / PeakRate(target, EffectiveDtype(target, dtype)));
  const double memory = std::log(from.memory_bandwidth / target.memory_bandwidth);
  ComputeEstimate estimate = measured;
  const double log_seconds = std::log(measured.seconds) + (arithmetic + memory) / 2;
  estimate.log_sd = std::hypot(measured.log_sd, std::hypot((arithmetic - memory) / 2, kOtherGpuSpread));
  estimate.seconds = std::exp(log_seconds);
  estimate.basis = ComputeBasis::kOtherGpu;
  estimate.low = std::exp(log_seconds - kNormal95 * estimate.log_sd);
  estimate.high = std::exp(log_seconds + kNormal95 * estimate.log_sd);
  estimate.from = fmt::format(
      "{}, from {} to {} by the mean of x{:.2f} (arithmetic) and x{:.2f} (memory bandwidth): its "
      "layers are not known",
      measured.from, from.name, target.name, std::exp(arithmetic), std::exp(memory));
  return estimate;
}

}  // namespace

std::string PrecisionOf(const std::string& dtype) {
  if (dtype == "float32") return "fp32";
  if (dtype == "float16") return "fp16";
  if (dtype == "bfloat16") return "bf16";
  return dtype.empty() ? "fp32" : dtype;
}

int BatchOf(const Profile& profile) {
  return static_cast<int>(profile.workload.batch_per_device * profile.workload.accumulate);
}

std::vector<cost::GradientBucket> BucketsOf(const Profile& profile) {
  for (const char* name : {"node", "cluster"}) {
    const ConditionInfo* rung = RungOf(profile, name);
    if (!rung || rung->buckets.empty()) continue;
    double end = 0;
    for (const BucketInfo& bucket : rung->buckets) end = std::max(end, bucket.ready_s);
    std::vector<cost::GradientBucket> buckets;
    for (const BucketInfo& bucket : rung->buckets) {
      const double share = end > 0 ? bucket.ready_s / end : 1;
      buckets.push_back({std::clamp((share - kForwardShare) / (1 - kForwardShare), 0.0, 1.0),
                         {static_cast<double>(bucket.bytes)}});
    }
    std::stable_sort(buckets.begin(), buckets.end(),
                     [](const auto& one, const auto& other) { return one.ready < other.ready; });
    return buckets;
  }
  const auto bytes = static_cast<double>(profile.workload.gradient_bytes);
  const int count = std::max(1, static_cast<int>(std::ceil(bytes / kUsualBucket.value)));
  std::vector<cost::GradientBucket> buckets;
  for (int i = 1; i <= count; ++i) buckets.push_back({static_cast<double>(i) / count, {bytes / count}});
  return buckets;
}

TrainingPlan PlanFromProfile(const Profile& profile, const std::string& file) {
  TrainingPlan plan;
  plan.model = profile.workload.model;
  plan.batch = BatchOf(profile);
  plan.precision = PrecisionOf(profile.workload.dtype);
  plan.data = DataOf(profile);
  if (profile.workload.loader_workers && *profile.workload.loader_workers > 0) {
    plan.workers = static_cast<int>(*profile.workload.loader_workers);
  }
  const std::optional<Network> network = NetworkOf(profile);
  const bool tokens = (network && network->sample_kind == SampleKind::kTokens) ||
                      (profile.workload.dataset && profile.workload.dataset->kind == "tokens");
  plan.measured = MeasuredWorkload{BucketsOf(profile), MeasuredCompute(profile, file),
                                   tokens ? SampleKind::kTokens : SampleKind::kImage};
  return plan;
}

ScaledCompute ScaleCompute(const Profile& profile, const ComputeEstimate& measured, const Gpu& measured_on,
                           const GpuSpeed& target, const Catalog& catalog) {
  const GpuSpeed from = SpeedOf(measured_on);
  if (from.chip == target.chip && from.fp32 == target.fp32) {
    ScaledCompute same{measured, true};
    same.estimate.from = fmt::format("{}, on {}", measured.from, measured_on.name);
    return same;
  }
  const std::optional<Network> network = NetworkOf(profile);
  return {network ? ByLayers(*network, profile, measured, measured_on, target, catalog)
                  : ByPeaks(profile, measured, from, target),
          false};
}

std::optional<double> SampleTokens(const Profile& profile, SampleKind kind) {
  if (kind == SampleKind::kImage) return std::nullopt;
  return static_cast<double>(profile.workload.sequence_length.value_or(kUsualLength));
}

void RequireGpuProfile(const Profile& profile, const std::string& file, const std::string& hint) {
  if (profile.cluster.device != "cpu") return;
  throw Error(fmt::format("{} was measured on CPUs, which say nothing of a GPU's time", file), hint);
}

ScalingParameters WithMeasuredLoader(ScalingParameters parameters, const Profile& profile) {
  if (!profile.loader || profile.loader->read_s + profile.loader->decode_s <= 0) return parameters;
  const double per_second = 1 / (profile.loader->read_s + profile.loader->decode_s);
  const auto index = static_cast<std::size_t>(Parameter::kPreparedPerCpu);
  parameters.values[index] = ToFitSpace(AllParameters()[index], per_second);
  return parameters;
}

}  // namespace stallscope
