#include "stallscope/engine/curve_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stallscope {
namespace {

constexpr std::int64_t kSmallest = 4;
constexpr std::int64_t kLargest = 256 << 20;
constexpr std::int64_t kFactor = 4;

/// Long against a switch between processes, short enough for many sizes in many rounds. The warm-up also has
/// to use up the burst of a token bucket, which is usually worth some milliseconds of its rate.
constexpr double kBlockSeconds = 0.03;
constexpr double kStreamSeconds = 0.2;
constexpr int kMostRepeats = 2000;
constexpr int kMostStreamed = 256;
/// Of a time that does not seem to grow yet, so much might be transfer all the same.
constexpr double kLeastGrowth = 0.05;
/// Two would be one difference of two arrivals.
constexpr int kLeastStreamed = 3;

int RepeatsFor(double seconds, double each, int least, int most) {
  return static_cast<int>(std::clamp(std::ceil(seconds / each), double(least), double(most)));
}

/// No message takes longer than a larger one: where a try says so, something came in between, and the block
/// would be planned too short to average over such things.
std::vector<TriedSize> Undisturbed(std::vector<TriedSize> tried) {
  for (std::size_t i = tried.size() - 1; i > 0; --i)
    tried[i - 1].seconds = std::min(tried[i - 1].seconds, tried[i].seconds);
  return tried;
}

/// What each size takes when a link's burst is used up: no size is faster than the largest one, byte for
/// byte.
std::vector<TriedSize> Sustained(std::vector<TriedSize> tried) {
  const TriedSize& largest = tried.back();
  const double per_byte = largest.seconds / static_cast<double>(largest.bytes);
  for (TriedSize& size : tried)
    size.seconds = std::max(size.seconds, per_byte * static_cast<double>(size.bytes));
  return tried;
}

const TriedSize& WarmSizeFor(const TriedSize& size, const std::vector<TriedSize>& tried) {
  const TriedSize* warm = &tried.front();
  for (const TriedSize& other : tried) {
    if (other.bytes <= std::min(size.bytes, kLargestWarm)) warm = &other;
  }
  return *warm;
}

/// What a round of these sizes takes: each with its warm-up, and both for a block's time at least.
double RoundSeconds(const std::vector<TriedSize>& tried) {
  double sum = 0;
  for (const TriedSize& size : tried)
    sum += std::max(kBlockSeconds, WarmSizeFor(size, tried).seconds) + std::max(kBlockSeconds, size.seconds);
  return sum;
}

/// What a larger size is likely to take. What the smallest one takes does not grow.
double LikelySeconds(std::int64_t bytes, const std::vector<TriedSize>& tried) {
  const TriedSize& last = tried.back();
  double least = last.seconds;
  for (const TriedSize& size : tried) {
    // Below, a ring may be shorter than it is for whole messages.
    if (size.bytes > kSmallest) least = std::min(least, size.seconds);
  }
  const double growth = static_cast<double>(bytes) / static_cast<double>(last.bytes);
  return least + std::max(last.seconds - least, kLeastGrowth * last.seconds) * growth;
}

}  // namespace

std::vector<std::int64_t> CurveSizes() {
  std::vector<std::int64_t> sizes;
  for (std::int64_t bytes = kSmallest; bytes <= kLargest; bytes *= kFactor) sizes.push_back(bytes);
  return sizes;
}

std::optional<std::string> WhyNotMeasured(std::int64_t bytes, const std::vector<TriedSize>& tried,
                                          const CurveLimits& limits) {
  // Each rank holds the message and, for a ping, an answer.
  const double held = 2 * static_cast<double>(bytes) * limits.ranks_per_machine;
  if (limits.memory_bytes && held > *limits.memory_bytes / 2) {
    return fmt::format("{} ranks with such a message would fill this machine's memory",
                       limits.ranks_per_machine);
  }
  if (bytes <= kLargestUnseen) return std::nullopt;
  const double likely = LikelySeconds(bytes, tried);
  std::vector<TriedSize> with_it = tried;
  with_it.push_back({.bytes = bytes, .seconds = likely});
  // Once to try it, and then in every round.
  const double needed = likely + kLeastCurveRounds * RoundSeconds(with_it);
  if (needed <= limits.left.count()) return std::nullopt;
  return fmt::format("each takes about {}, too long for {} rounds within the time for this curve",
                     FormatSeconds(likely), kLeastCurveRounds);
}

CurvePlan PlanCurve(const std::vector<TriedSize>& tried, Seconds left, bool with_pair) {
  const std::vector<TriedSize> sizes = Sustained(Undisturbed(tried));
  CurvePlan plan{.blocks = {}, .rounds = 0, .round_s = RoundSeconds(sizes)};
  for (const TriedSize& size : sizes) {
    const TriedSize& warm = WarmSizeFor(size, sizes);
    plan.blocks.push_back({.kind = CollectiveKind::kAllReduce,
                           .bytes = size.bytes,
                           .repeats = RepeatsFor(kBlockSeconds, size.seconds, 1, kMostRepeats),
                           .warm_bytes = warm.bytes,
                           .warm_repeats = RepeatsFor(kBlockSeconds, warm.seconds, 1, kMostRepeats)});
  }
  if (with_pair) {
    const TriedSize& small = sizes.front();
    const TriedSize& large = WarmSizeFor(sizes.back(), sizes);
    plan.blocks.push_back({.kind = CollectiveKind::kPing,
                           .bytes = small.bytes,
                           .repeats = RepeatsFor(kBlockSeconds, small.seconds, 1, kMostRepeats),
                           .warm_bytes = small.bytes,
                           .warm_repeats = 1});
    const int streamed = RepeatsFor(kStreamSeconds, large.seconds, kLeastStreamed, kMostStreamed);
    plan.blocks.push_back({.kind = CollectiveKind::kStream,
                           .bytes = large.bytes,
                           .repeats = streamed,
                           .warm_bytes = small.bytes,
                           .warm_repeats = 1});
    plan.round_s += kBlockSeconds + (streamed + 1) * large.seconds;
  }
  plan.rounds = static_cast<int>(
      std::clamp(left.count() / plan.round_s, double(kLeastCurveRounds), double(kMostCurveRounds)));
  return plan;
}

}  // namespace stallscope
