#include "stallscope/predict/measured_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stallscope/base/error.h"
#include "stallscope/cost/link.h"
#include "stallscope/cost/step.h"
#include "stallscope/engine/bucket.h"
#include "stallscope/predict/gradient_buckets.h"
#include "stallscope/predict/processor_step.h"

namespace stallscope {
namespace {

constexpr double kNormal95 = 1.96;
constexpr double kFloatBytes = 4;
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

/// A fitted curve of the card, between ranks of one machine or of several; of those the largest.
const CollectiveCurve* CurveOf(const MachineCard& card, const std::string& where) {
  const CollectiveCurve* best = nullptr;
  for (const CollectiveCurve& curve : card.collectives) {
    if (curve.where != where || !curve.fit || !curve.fit->bytes_per_s) continue;
    if (!best || curve.ranks > best->ranks) best = &curve;
  }
  return best;
}

/// What an all-reduce of n ranks costs: a ring's 2(n-1) steps.
struct RingCosts {
  double latency_s = 0;
  double s_per_byte = 0;
};

RingCosts CostsOf(const LinkFit& fit, int ranks) {
  const double steps = 2.0 * (ranks - 1);
  // Buckets are large: the line that large messages follow.
  const Estimate& latency = fit.segments.empty() ? fit.latency_s : fit.segments.back().latency_s;
  return {steps * fit.trips_per_step * std::max(0.0, latency.mean), steps / ranks / fit.bytes_per_s->mean};
}

double RelativeDeviation(const Estimate& estimate) {
  return estimate.mean > 0 ? std::max(0.0, estimate.HalfWidth()) / kNormal95 / estimate.mean : 0;
}

/// The channel of a target, from what the card knows.
class Links {
 public:
  Links(const MachineCard& card, const LinkTarget& target, std::vector<std::string>& assumed)
      : target_(target), ranks_(target.nodes * target.devices_per_node) {
    if (target.nodes < 1 || target.devices_per_node < 1) {
      throw Error(fmt::format("{} machines of {} ranks cannot train", target.nodes, target.devices_per_node),
                  "take 1 or more of both");
    }
    inside_ = CurveOf(card, "machine");
    across_ = CurveOf(card, "cluster");
    if (ranks_ > 1 && !inside_ && (target.wire || target.nodes == 1 || !across_)) {
      throw Error("the machine card has no fitted all-reduce between ranks of one machine",
                  "make one with: stallscope probe --nproc-per-node 2");
    }
    if (ranks_ > 1 && target.nodes > 1 && !target.wire && !across_) {
      throw Error("nothing says how fast the link between the machines is",
                  "give --bandwidth, or a card of: stallscope probe --nnodes 2");
    }
    if (card.memory) {
      copy_s_per_byte_ = kCopyStreams * target.devices_per_node / card.memory->all_cores.bytes_per_s.mean;
    } else {
      assumed.emplace_back("gradients are copied into buckets in no time: the card has no memory rate");
    }
  }

  int ranks() const { return ranks_; }
  std::optional<double> copy_s_per_byte() const { return copy_s_per_byte_; }

  /// Relative, of the rate that limits; a wire's rate is given, not measured.
  double LinkDeviation() const {
    if (target_.wire && Target().interference < 1) return 0;
    const CollectiveCurve* curve = target_.nodes > 1 && !target_.wire ? across_ : inside_;
    return RelativeDeviation(*curve->fit->bytes_per_s);
  }

  /// Inside a machine, or as if all ranks sat in one.
  cost::Channel Inside() const { return ChannelOf(CostsOf(*(inside_ ? inside_ : across_)->fit, ranks_), 1); }

  cost::Channel Target() const {
    if (!target_.wire && target_.nodes == 1) return Inside();
    if (!target_.wire) {
      const RingCosts across = CostsOf(*across_->fit, ranks_);
      if (!inside_) return ChannelOf(across, 1);
      const RingCosts processors = CostsOf(*inside_->fit, ranks_);
      return ChannelOf(across, processors.s_per_byte / across.s_per_byte);
    }
    // Between ranks of one machine nothing but processors limits an all-reduce: sending, receiving and adding
    // up a byte takes them as long there as over a wire, which makes them wait for the rest.
    const RingCosts processors = CostsOf(*inside_->fit, ranks_);
    // All ranks of a machine share its wire; a ring passes it once each way.
    const double nodes = target_.nodes;
    const double payload = kPayloadShare * target_.wire->value;
    const double wire = 2 * (nodes > 1 ? (ranks_ - 1.0) / ranks_ : 0) / payload;
    const double slower = std::max(wire, processors.s_per_byte);
    return ChannelOf({processors.latency_s, slower}, processors.s_per_byte / slower);
  }

 private:
  cost::Channel ChannelOf(const RingCosts& costs, double processor_share) const {
    cost::Channel channel;
    channel.latency = Seconds(costs.latency_s);
    channel.seconds_per_byte = costs.s_per_byte;
    channel.interference = std::clamp(processor_share, 0.0, 1.0);
    channel.gather_s_per_byte = channel.scatter_s_per_byte = copy_s_per_byte_.value_or(0);
    return channel;
  }

  LinkTarget target_;
  int ranks_;
  const CollectiveCurve* inside_ = nullptr;
  const CollectiveCurve* across_ = nullptr;
  std::optional<double> copy_s_per_byte_;
};

Estimate WithDeviation(double mean, double log_sd) {
  const double factor = std::exp(kNormal95 * log_sd);
  return {mean, mean / factor, mean * factor};
}

Estimate Difference(const Estimate& upper, const Estimate& lower) {
  const double half = std::hypot(upper.HalfWidth(), lower.HalfWidth());
  const double mean = upper.mean - lower.mean;
  return {mean, mean - half, mean + half};
}

std::vector<cost::GradientBucket> Buckets(const Profile& profile, const Alone& alone,
                                          BytesPerSecond memory_of_rank) {
  const WorkloadInfo& workload = profile.workload;
  NetworkOptions options;
  if (workload.image_size) options.image_size = static_cast<int>(*workload.image_size);
  if (workload.sequence_length) options.sequence_length = static_cast<int>(*workload.sequence_length);
  const Network network = BuildNetwork(workload.model, options);
  const std::vector<double> shares = BackwardShares(network, static_cast<double>(workload.batch_per_device),
                                                    alone.compute.backward, memory_of_rank);
  const BucketCaps caps = ParseBucket(workload.bucket);
  return BucketsOf(network, kFloatBytes,
                   {{static_cast<double>(caps.first_bytes)}, {static_cast<double>(caps.bytes)}}, shares);
}

}  // namespace

MeasuredPrediction PredictMeasured(const Profile& profile, const MachineCard& card,
                                   const LinkTarget& target) {
  MeasuredPrediction prediction;
  const Alone alone = AloneOf(profile);
  const Links links(card, target, prediction.assumed);
  if (alone.rung == "solo" && target.devices_per_node > 1) {
    prediction.assumed.emplace_back("ranks do not slow each other down: the profile has no 'crowd'");
  }
  // Without a rate of the memory, readiness goes by multiplications.
  const BytesPerSecond memory = {links.copy_s_per_byte() ? kCopyStreams / *links.copy_s_per_byte()
                                                         : cost::kNoLimit.value};
  const std::vector<cost::GradientBucket> buckets = Buckets(profile, alone, memory);
  prediction.basis = fmt::format("measured '{}', all-reduces of the machine card", alone.rung);
  prediction.compute_s = alone.step;
  if (links.ranks() == 1) {
    prediction.step_s = alone.step;
    return prediction;
  }
  const cost::Channel inside = links.Inside();
  const cost::Channel channel = links.Target();
  const cost::StepTimes times = cost::SimulateStep(alone.compute, buckets, channel);
  const cost::StepTimes within = cost::SimulateStep(alone.compute, buckets, inside);
  // How the step follows its two measured ingredients.
  const double factor = 1.05;
  const auto faster = [&](double compute, double link) {
    cost::Channel moved = channel;
    moved.seconds_per_byte *= link;
    return std::log(cost::SimulateStep({alone.compute.forward * compute, alone.compute.backward * compute,
                                        alone.compute.optimizer * compute},
                                       buckets, moved)
                        .step /
                    times.step) /
           std::log(factor);
  };
  const double of_compute = faster(factor, 1) * RelativeDeviation(alone.step);
  const double of_link = faster(1, factor) * links.LinkDeviation();
  const double log_sd = std::sqrt(of_compute * of_compute + of_link * of_link + kModelSpread * kModelSpread);
  prediction.step_s = WithDeviation(times.step.count(), log_sd);
  const Estimate inside_step = WithDeviation(within.step.count(), log_sd);
  prediction.interconnect_s = Difference(target.nodes > 1 ? inside_step : prediction.step_s, alone.step);
  if (target.nodes > 1) prediction.network_s = Difference(prediction.step_s, inside_step);
  prediction.transfer_s = times.transfer.count();
  prediction.exposed_s = times.exposed.count();
  prediction.processor_share = channel.interference;
  return prediction;
}

}  // namespace stallscope
