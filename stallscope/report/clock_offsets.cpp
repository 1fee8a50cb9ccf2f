#include "stallscope/report/clock_offsets.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stallscope {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

/// When a machine had handed a bucket over, and when the first of its ranks had the average.
struct Meeting {
  double begin_s = -kFar;
  double end_s = kFar;
};

/// Over all steps and buckets of a machine's ranks, in one order.
std::map<int, std::vector<Meeting>> MeetingsOf(const RunBlock& block) {
  std::map<int, std::vector<Meeting>> meetings;
  for (const RunRank& rank : block.ranks) {
    std::vector<Meeting>& of_node = meetings[rank.node];
    std::size_t place = 0;
    for (const StepRecord& step : rank.steps) {
      for (const BucketTimes& bucket : step.buckets) {
        if (place == of_node.size()) of_node.emplace_back();
        Meeting& meeting = of_node[place++];
        meeting.begin_s = std::max(meeting.begin_s, step.start_s + bucket.begin_s);
        meeting.end_s = std::min(meeting.end_s, step.start_s + bucket.end_s);
      }
    }
  }
  return meetings;
}

}  // namespace

std::map<int, ClockOffset> OffsetsOfBlock(const RunBlock& block) {
  std::map<int, ClockOffset> offsets;
  // In `node` every machine reduces alone.
  if (block.condition == "node" || block.condition == "solo" || block.condition == "crowd") return offsets;
  const auto meetings = MeetingsOf(block);
  if (meetings.size() < 2) return offsets;
  const std::vector<Meeting>& first = meetings.begin()->second;
  for (auto other = std::next(meetings.begin()); other != meetings.end(); ++other) {
    if (other->second.size() != first.size() || first.empty()) continue;
    double least = -kFar, most = kFar;
    for (std::size_t i = 0; i < first.size(); ++i) {
      least = std::max(least, other->second[i].begin_s - first[i].end_s);
      most = std::min(most, other->second[i].end_s - first[i].begin_s);
    }
    offsets[other->first] = {.ahead_s = (least + most) / 2, .error_s = std::abs(most - least) / 2};
  }
  return offsets;
}

void ClockOffsets::Add(const RunBlock& block) {
  blocks_.push_back(one_clock_ ? std::map<int, ClockOffset>() : OffsetsOfBlock(block));
}

std::optional<ClockOffset> ClockOffsets::Of(std::size_t block, int node) const {
  if (one_clock_ || node == 0) return ClockOffset{};
  for (std::size_t distance = 0; distance < blocks_.size(); ++distance) {
    for (const std::size_t at : {block - distance, block + distance}) {
      if (at >= blocks_.size()) continue;
      const auto found = blocks_[at].find(node);
      if (found != blocks_[at].end()) return found->second;
    }
  }
  return std::nullopt;
}

std::map<int, ClockOffset> ClockOffsets::Worst() const {
  std::map<int, ClockOffset> worst;
  for (const auto& block : blocks_) {
    for (const auto& [node, offset] : block) {
      const auto [found, is_new] = worst.try_emplace(node, offset);
      if (!is_new && offset.error_s > found->second.error_s) found->second = offset;
    }
  }
  return worst;
}

}  // namespace stallscope
