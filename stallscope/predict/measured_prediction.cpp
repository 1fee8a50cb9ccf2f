#include "stallscope/predict/measured_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stallscope/base/error.h"
#include "stallscope/cost/link.h"
#include "stallscope/cost/step.h"
#include "stallscope/machine/topology.h"
#include "stallscope/predict/card_links.h"
#include "stallscope/predict/gradient_buckets.h"
#include "stallscope/stats/quantiles.h"

namespace stallscope {
namespace {

/// Gradients are read and written when a bucket is gathered, and again when it is scattered.
constexpr double kCopyStreams = 2;
/// What the model leaves open, one standard deviation of the step's logarithm (bench/README.md).
constexpr double kModelSpread = 0.05;

/// What one rank does in a step without the others.
struct Alone {
  std::string rung;
  Estimate step;
  cost::StepCompute compute;  ///< forward: all that comes before the last backward pass
};

Alone AloneOf(const Profile& profile) {
  for (const char* rung : {"crowd", "solo"}) {
    const auto found = profile.conditions.find(rung);
    if (found == profile.conditions.end()) continue;
    const ConditionInfo& info = found->second;
    // Of several micro-batches only the last one's backward pass hands gradients over.
    const double backward =
        info.parts.backward_s / static_cast<double>(std::max<std::int64_t>(1, profile.workload.accumulate));
    const double before = info.step_time_s.mean - backward - info.parts.optimizer_s;
    return {rung,
            info.step_time_s,
            {Seconds(std::max(0.0, before)), Seconds(backward), Seconds(info.parts.optimizer_s)}};
  }
  throw Error("the profile has neither 'crowd' nor 'solo': nothing says how long ranks compute",
              "measure with: stallscope profile --conditions crowd");
}

double RelativeDeviation(const Estimate& estimate) {
  return estimate.mean > 0 ? std::max(0.0, estimate.HalfWidth()) / kNormal95 / estimate.mean : 0;
}

Estimate WithDeviation(double mean, double log_sd) {
  const double factor = std::exp(kNormal95 * log_sd);
  return {mean, mean / factor, mean * factor};
}

Estimate Difference(const Estimate& upper, const Estimate& lower) {
  const double half = std::hypot(upper.HalfWidth(), lower.HalfWidth());
  const double mean = upper.mean - lower.mean;
  return {mean, mean - half, mean + half};
}

Network NetworkOf(const WorkloadInfo& workload) {
  NetworkOptions options;
  if (workload.image_size) options.image_size = static_cast<int>(*workload.image_size);
  if (workload.sequence_length) options.sequence_length = static_cast<int>(*workload.sequence_length);
  return BuildNetwork(workload.model, options);
}

std::vector<cost::GradientBucket> Buckets(const WorkloadInfo& workload, const Network& network,
                                          const Alone& alone, BytesPerSecond memory_of_rank) {
  return EngineBuckets(network, workload.bucket, static_cast<double>(workload.batch_per_device),
                       alone.compute.backward, memory_of_rank);
}

/// All buckets of a step over one kind of link.
class Exchange {
 public:
  template <typename Transfer>
  Exchange(const std::vector<cost::GradientBucket>& buckets, const CardLinks& links, const Transfer& transfer)
      : buckets_(buckets) {
    double processors = 0;
    double all = 0;
    for (const cost::GradientBucket& bucket : buckets) {
      seconds_.push_back(transfer(bucket.size.value));
      all += seconds_.back();
      processors += links.InsideSeconds(bucket.size.value);
    }
    channel_.interference = all > 0 ? std::min(1.0, processors / all) : 0;
    channel_.gather_s_per_byte = channel_.scatter_s_per_byte = links.copy_s_per_byte().value_or(0);
  }

  double processor_share() const { return channel_.interference; }

  /// With the compute time and the transfers so many times as long.
  cost::StepTimes Step(const cost::StepCompute& compute, double longer, double transfers) const {
    std::vector<double> seconds = seconds_;
    for (double& transfer : seconds) transfer *= transfers;
    return cost::SimulateStep(
        {compute.forward * longer, compute.backward * longer, compute.optimizer * longer}, buckets_, channel_,
        seconds);
  }

 private:
  const std::vector<cost::GradientBucket>& buckets_;
  std::vector<double> seconds_;
  cost::Channel channel_;
};

/// The same by the law of the machine.
void PredictByLaw(const Alone& alone, const std::vector<cost::GradientBucket>& buckets,
                  const Network& network, const LinkTarget& target, int ranks, Bytes cached,
                  MeasuredPrediction& prediction) {
  ExchangeStep step{.compute = alone.compute,
                    .buckets = buckets,
                    .tensors = static_cast<int>(Totals(network).gradient_tensors),
                    .broadcasts = !BufferTensors(network).empty(),
                    .ranks = ranks,
                    .wire = std::nullopt,
                    .burst = {},
                    .cached = cached};
  const double log_sd = std::hypot(RelativeDeviation(alone.step), kModelSpread);
  const Estimate within = WithDeviation(alone.step.mean + StallUnder(*target.law, step).count(), log_sd);
  if (target.nodes > 1) step.wire = target.wire;
  const ExchangeStall stall = StallParts(*target.law, step);
  prediction.basis = fmt::format("measured '{}', {}", alone.rung, target.law_source);
  prediction.step_s = WithDeviation(alone.step.mean + stall.stall.count(), log_sd);
  prediction.interconnect_s = Difference(target.nodes > 1 ? within : prediction.step_s, alone.step);
  if (target.nodes > 1) prediction.network_s = Difference(prediction.step_s, within);
  prediction.exposed_s = stall.stall.count();
  prediction.transfer_s = (stall.hidden + stall.stall - stall.stragglers).count();
  prediction.processor_share =
      prediction.transfer_s > 0 ? std::min(1.0, stall.processors.count() / prediction.transfer_s) : 0;
}

}  // namespace

MeasuredPrediction PredictMeasured(const Profile& profile, const MachineCard& card,
                                   const LinkTarget& target) {
  MeasuredPrediction prediction;
  Alone alone = AloneOf(profile);
  // Emulated machines are one.
  const int sharing = target.devices_per_node * (profile.cluster.emulated ? target.nodes : 1);
  const CardLinks links(card, target, sharing, prediction.assumed);
  if (alone.rung == "solo" && target.devices_per_node > 1) {
    prediction.assumed.emplace_back("ranks do not slow each other down: the profile has no 'crowd'");
  }
  // Without a rate of the memory, readiness goes by multiplications.
  const BytesPerSecond memory = {links.copy_s_per_byte() ? kCopyStreams / *links.copy_s_per_byte()
                                                         : cost::kNoLimit.value};
  const Network network = NetworkOf(profile.workload);
  const std::vector<cost::GradientBucket> buckets = Buckets(profile.workload, network, alone, memory);
  prediction.basis = fmt::format("measured '{}', all-reduces of the machine card", alone.rung);
  prediction.compute_s = alone.step;
  if (links.ranks() == 1) {
    prediction.step_s = alone.step;
    return prediction;
  }
  if (target.law && (target.nodes == 1 || target.wire)) {
    const Bytes cached{static_cast<double>(PrivateCacheOf(card.topology).value_or(0))};
    PredictByLaw(alone, buckets, network, target, links.ranks(), cached, prediction);
    return prediction;
  }
  // Everybody waits for the slowest, and running statistics are sent before the forward pass.
  double slowest = 1;
  if (target.straggling) {
    slowest += StragglingAmong(*target.straggling, links.ranks());
  } else {
    prediction.assumed.emplace_back("no rank is slower than another: nothing says how their steps scatter");
  }
  const Seconds broadcast(BufferTensors(network).empty() ? 0 : links.BroadcastSeconds());
  alone.compute = {alone.compute.forward * slowest + broadcast, alone.compute.backward * slowest,
                   alone.compute.optimizer * slowest};
  const Exchange inside(buckets, links, [&](double bytes) { return links.InsideSeconds(bytes); });
  const Exchange target_exchange(buckets, links, [&](double bytes) { return links.TargetSeconds(bytes); });
  const cost::StepTimes within = inside.Step(alone.compute, 1, 1);
  const cost::StepTimes times = target_exchange.Step(alone.compute, 1, 1);
  // How the step follows its two measured ingredients.
  constexpr double kNudge = 1.05;
  const auto follows = [&](double compute, double transfer) {
    return std::log(target_exchange.Step(alone.compute, compute, transfer).step / times.step) /
           std::log(kNudge);
  };
  const double of_compute = follows(kNudge, 1) * RelativeDeviation(alone.step);
  const double of_link = follows(1, kNudge) * links.Deviation();
  const double log_sd = std::sqrt(of_compute * of_compute + of_link * of_link + kModelSpread * kModelSpread);
  prediction.step_s = WithDeviation(times.step.count(), log_sd);
  const Estimate inside_step = WithDeviation(within.step.count(), log_sd);
  prediction.interconnect_s = Difference(target.nodes > 1 ? inside_step : prediction.step_s, alone.step);
  if (target.nodes > 1) prediction.network_s = Difference(prediction.step_s, inside_step);
  prediction.transfer_s = times.transfer.count();
  prediction.exposed_s = times.exposed.count();
  prediction.processor_share = target_exchange.processor_share();
  return prediction;
}

}  // namespace stallscope
