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

/// What a card knows of all-reduces of n ranks.
class AllReduces {
 public:
  AllReduces(const CollectiveCurve& curve, int ranks) : curve_(curve), ranks_(ranks) {}

  /// As measured, between two sizes in a straight line; beyond the sizes, and for other numbers of ranks than
  /// were measured, as fitted: a ring's 2(n-1) steps.
  double Seconds(double bytes) const {
    const std::vector<CollectivePoint>& points = curve_.points;
    const auto above = std::find_if(points.begin(), points.end(), [&](const CollectivePoint& point) {
      return static_cast<double>(point.bytes) >= bytes;
    });
    if (ranks_ != curve_.ranks || above == points.end() || above == points.begin()) return Fitted(bytes);
    const CollectivePoint& below = *std::prev(above);
    const double share =
        (bytes - static_cast<double>(below.bytes)) / static_cast<double>(above->bytes - below.bytes);
    return below.time_s.mean + share * (above->time_s.mean - below.time_s.mean);
  }

  /// What does not grow with the size.
  double LatencySeconds() const {
    return Steps() * curve_.fit->trips_per_step * std::max(0.0, curve_.fit->latency_s.mean);
  }
  double OneMessageSeconds() const {
    return curve_.fit->trips_per_step * std::max(0.0, curve_.fit->latency_s.mean);
  }

 private:
  double Steps() const { return 2.0 * (ranks_ - 1); }
  double Fitted(double bytes) const {
    return FittedTime(*curve_.fit, ranks_, bytes)
        .value_or(LatencySeconds() + Steps() / ranks_ * bytes / curve_.fit->bytes_per_s->mean);
  }

  const CollectiveCurve& curve_;
  int ranks_;
};

double RelativeDeviation(const Estimate& estimate) {
  return estimate.mean > 0 ? std::max(0.0, estimate.HalfWidth()) / kNormal95 / estimate.mean : 0;
}

/// The channel of a target, from what the card knows.
class Links {
 public:
  /// `sharing`: ranks that share the memory of the card's machine.
  Links(const MachineCard& card, const LinkTarget& target, int sharing, std::vector<std::string>& assumed)
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
      copy_s_per_byte_ = kCopyStreams * sharing / card.memory->all_cores.bytes_per_s.mean;
    } else {
      assumed.emplace_back("gradients are copied into buckets in no time: the card has no memory rate");
    }
  }

  int ranks() const { return ranks_; }
  std::optional<double> copy_s_per_byte() const { return copy_s_per_byte_; }

  /// Relative, of the rate that limits; a wire's rate is given, not measured.
  double LinkDeviation() const {
    if (target_.wire && TargetSeconds(kUsualBucket.value) > InsideSeconds(kUsualBucket.value)) return 0;
    const CollectiveCurve* curve = target_.nodes > 1 && !target_.wire ? across_ : inside_;
    return RelativeDeviation(*curve->fit->bytes_per_s);
  }

  /// A few numbers from the first rank to all others, in a tree.
  double BroadcastSeconds() const {
    return std::ceil(std::log2(ranks_)) *
           AllReduces(*(inside_ ? inside_ : across_), ranks_).OneMessageSeconds();
  }

  /// Inside a machine, or as if all ranks sat in one: nothing but processors limits an all-reduce there.
  double InsideSeconds(double bytes) const {
    return AllReduces(*(inside_ ? inside_ : across_), ranks_).Seconds(bytes);
  }

  /// Sending, receiving and adding up a byte takes processors as long over a wire as inside a machine, but
  /// they wait for the wire in between.
  double TargetSeconds(double bytes) const {
    if (!target_.wire && target_.nodes == 1) return InsideSeconds(bytes);
    if (!target_.wire) return AllReduces(*across_, ranks_).Seconds(bytes);
    // All ranks of a machine share its wire; a ring passes it once each way.
    const double payload = kPayloadShare * target_.wire->value;
    const double wire = target_.nodes > 1 ? 2 * (ranks_ - 1.0) / ranks_ * bytes / payload : 0;
    return std::max(InsideSeconds(bytes), AllReduces(*inside_, ranks_).LatencySeconds() + wire);
  }

 private:
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

Network NetworkOf(const WorkloadInfo& workload) {
  NetworkOptions options;
  if (workload.image_size) options.image_size = static_cast<int>(*workload.image_size);
  if (workload.sequence_length) options.sequence_length = static_cast<int>(*workload.sequence_length);
  return BuildNetwork(workload.model, options);
}

std::vector<cost::GradientBucket> Buckets(const WorkloadInfo& workload, const Network& network,
                                          const Alone& alone, BytesPerSecond memory_of_rank) {
  const std::vector<double> shares = BackwardShares(network, static_cast<double>(workload.batch_per_device),
                                                    alone.compute.backward, memory_of_rank);
  const BucketCaps caps = ParseBucket(workload.bucket);
  return BucketsOf(network, kFloatBytes,
                   {{static_cast<double>(caps.first_bytes)}, {static_cast<double>(caps.bytes)}}, shares);
}

/// All buckets of a step over one kind of link.
class Exchange {
 public:
  template <typename Transfer>
  Exchange(const std::vector<cost::GradientBucket>& buckets, const Links& links, const Transfer& transfer)
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

}  // namespace

MeasuredPrediction PredictMeasured(const Profile& profile, const MachineCard& card,
                                   const LinkTarget& target) {
  MeasuredPrediction prediction;
  Alone alone = AloneOf(profile);
  // Emulated machines are one.
  const int sharing = target.devices_per_node * (profile.cluster.emulated ? target.nodes : 1);
  const Links links(card, target, sharing, prediction.assumed);
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
  const double of_link = follows(1, kNudge) * links.LinkDeviation();
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
