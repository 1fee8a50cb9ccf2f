#include "stallscope/ladder/block_summary.h"

#include <fmt/core.h>

#include <algorithm>

#include "stallscope/base/error.h"
#include "stallscope/ladder/bucket_means.h"
#include "stallscope/ladder/resource_summary.h"
#include "stallscope/stats/mean.h"

namespace stallscope {
namespace {

struct Span {
  double begin = 0;
  double end = 0;
};

/// The length of the union of spans.
double UnionLength(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  double length = 0;
  double covered_to = -1e300;
  for (const Span& span : spans) {
    const double from = std::max(span.begin, covered_to);
    if (span.end > from) length += span.end - from;
    covered_to = std::max(covered_to, span.end);
  }
  return length;
}

class PartsMean {
 public:
  void Add(const StepRecord& step) {
    total_.push_back(step.total_s);
    data_wait_.push_back(step.data_wait_s);
    copy_.push_back(step.copy_s);
    forward_.push_back(step.forward_s);
    backward_.push_back(step.backward_s);
    exposed_.push_back(step.exposed_communication_s);
    optimizer_.push_back(step.optimizer_s);
  }
  double Total() const { return MeanOf(total_); }
  StepParts Parts() const {
    return {.data_wait_s = MeanOf(data_wait_),
            .copy_s = MeanOf(copy_),
            .forward_s = MeanOf(forward_),
            .backward_s = MeanOf(backward_),
            .exposed_communication_s = MeanOf(exposed_),
            .optimizer_s = MeanOf(optimizer_)};
  }

 private:
  std::vector<double> total_, data_wait_, copy_, forward_, backward_, exposed_, optimizer_;
};

/// Ranks that reduce with each other: all of them, or those of one machine.
std::vector<std::vector<const RankBlock*>> Groups(const std::vector<const RankBlock*>& ranks, bool together) {
  std::vector<std::vector<const RankBlock*>> groups;
  for (const RankBlock* rank : ranks) {
    const bool same = !groups.empty() && (together || groups.back().front()->node == rank->node);
    if (!same) groups.emplace_back();
    groups.back().push_back(rank);
  }
  return groups;
}

std::optional<CommunicationInfo> CommunicationOf(const std::vector<const RankBlock*>& ranks, bool together,
                                                 std::size_t skip, std::size_t steps) {
  std::vector<double> transfer, skew, overlap;
  for (const auto& group : Groups(ranks, together)) {
    for (std::size_t step = skip; step < steps; ++step) {
      std::vector<const std::vector<BucketTimes>*> buckets;
      buckets.reserve(group.size());
      for (const RankBlock* rank : group) buckets.push_back(&rank->steps[step].buckets);
      const auto info = CommunicationOfStep(buckets);
      if (!info) continue;
      transfer.push_back(info->transfer_s);
      skew.push_back(info->skew_s);
      overlap.push_back(info->overlap_share);
    }
  }
  if (transfer.empty()) return std::nullopt;
  return CommunicationInfo{MeanOf(transfer), MeanOf(skew), MeanOf(overlap)};
}

}  // namespace

std::optional<CommunicationInfo> CommunicationOfStep(
    const std::vector<const std::vector<BucketTimes>*>& ranks) {
  if (ranks.empty() || ranks.front()->empty()) return std::nullopt;
  const std::size_t count = ranks.front()->size();
  std::vector<double> transfers(count, 1e300);
  for (const auto* buckets : ranks) {
    if (buckets->size() != count) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i) {
      const BucketTimes& bucket = (*buckets)[i];
      transfers[i] = std::min(transfers[i], bucket.end_s - bucket.begin_s);
    }
  }
  std::vector<double> transfer, skew, overlap;
  for (const auto* buckets : ranks) {
    std::vector<Span> whole, moving, exposed;
    double computed_s = 0;
    for (const BucketTimes& bucket : *buckets) computed_s = std::max(computed_s, bucket.ready_s);
    for (std::size_t i = 0; i < count; ++i) {
      const BucketTimes& bucket = (*buckets)[i];
      whole.push_back({bucket.begin_s, bucket.end_s});
      moving.push_back({bucket.end_s - transfers[i], bucket.end_s});
      exposed.push_back({std::max(bucket.begin_s, computed_s), bucket.end_s});
    }
    const double communicating = UnionLength(whole);
    if (communicating <= 0) return std::nullopt;
    transfer.push_back(UnionLength(moving));
    skew.push_back(communicating - transfer.back());
    overlap.push_back(std::clamp(1 - UnionLength(exposed) / communicating, 0.0, 1.0));
  }
  return CommunicationInfo{MeanOf(transfer), MeanOf(skew), MeanOf(overlap)};
}

BlockSummary Summarise(const BlockResult& block, int skip, bool one_host,
                       std::optional<int> cores_per_machine) {
  std::vector<const RankBlock*> ranks;
  for (const int wanted : block.request.ranks) {
    const auto found = std::find_if(block.ranks.begin(), block.ranks.end(),
                                    [&](const RankBlock& rank) { return rank.rank == wanted; });
    const std::size_t steps = found == block.ranks.end() ? 0 : found->steps.size();
    if (steps != static_cast<std::size_t>(block.request.steps) || block.request.steps <= skip) {
      throw Error(fmt::format("rank {} reported {} of {} steps", wanted, steps, block.request.steps),
                  "look into the rank's log");
    }
    ranks.push_back(&*found);
  }
  const bool together = one_host || block.request.sync == Sync::kCluster;
  PartsMean mean;
  const auto first = static_cast<std::size_t>(skip);
  const auto steps = static_cast<std::size_t>(block.request.steps);
  for (const RankBlock* rank : ranks) {
    for (std::size_t step = first; step < steps; ++step) mean.Add(rank->steps[step]);
  }
  return {.step_time_s = mean.Total(),
          .parts = mean.Parts(),
          .communication = CommunicationOf(ranks, together, first, steps),
          .buckets = BucketsOf(ranks, first),
          .resources = ResourcesOf(block, first, one_host, cores_per_machine),
          .steps = block.request.steps - skip};
}

}  // namespace stallscope
