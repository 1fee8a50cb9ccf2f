#include "stallscope/predict/card_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stallscope/base/error.h"
#include "stallscope/predict/gradient_buckets.h"
#include "stallscope/stats/quantiles.h"

namespace stallscope {
namespace {

/// A copy reads and writes.
constexpr double kCopyStreams = 2;

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

}  // namespace

CardLinks::CardLinks(const MachineCard& card, const LinkTarget& target, int sharing,
                     std::vector<std::string>& assumed)
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

double CardLinks::InsideSeconds(double bytes) const {
  return AllReduces(Inside(), ranks_).Seconds(bytes);
}

double CardLinks::TargetSeconds(double bytes) const {
  if (!target_.wire && target_.nodes == 1) return InsideSeconds(bytes);
  if (!target_.wire) return AllReduces(*across_, ranks_).Seconds(bytes);
  // All ranks of a machine share its wire; a ring passes it once each way.
  const double payload = kPayloadShare * target_.wire->value;
  const double wire = target_.nodes > 1 ? 2 * (ranks_ - 1.0) / ranks_ * bytes / payload : 0;
  return std::max(InsideSeconds(bytes), AllReduces(*inside_, ranks_).LatencySeconds() + wire);
}

double CardLinks::BroadcastSeconds() const {
  return std::ceil(std::log2(ranks_)) * AllReduces(Inside(), ranks_).OneMessageSeconds();
}

double CardLinks::Deviation() const {
  if (target_.wire && TargetSeconds(kUsualBucket.value) > InsideSeconds(kUsualBucket.value)) return 0;
  const CollectiveCurve& curve = target_.nodes > 1 && !target_.wire ? *across_ : *inside_;
  const Estimate& rate = *curve.fit->bytes_per_s;
  return std::max(0.0, rate.HalfWidth()) / kNormal95 / rate.mean;
}

}  // namespace stallscope
