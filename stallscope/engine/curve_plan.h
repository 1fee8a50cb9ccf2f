#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/base/units.h"
#include "stallscope/engine/collective.h"

namespace stallscope {

/// 4 B to 256 MiB, each four times the last.
std::vector<std::int64_t> CurveSizes();

/// Sizes up to this one are tried at once; larger ones only after the time of the one before is known.
constexpr std::int64_t kLargestUnseen = 64 << 10;
/// A first collective that takes longer than this is on a long link, where tries are not repeated.
constexpr double kLongLinkSeconds = 5e-3;
/// A message of a stream, and what warms up for larger messages.
constexpr std::int64_t kLargestWarm = 1 << 20;
/// With fewer the intervals are wide (Bootstrap::kFewRounds).
constexpr int kLeastCurveRounds = 8;
constexpr int kMostCurveRounds = 20;

/// What a first try of a size took.
struct TriedSize {
  std::int64_t bytes = 0;
  double seconds = 0;
};

/// Why the next size after those that were tried cannot be measured; nothing: it can.
struct CurveLimits {
  Seconds left{0};                     ///< for trying it, and for all rounds
  std::optional<double> memory_bytes;  ///< of the machine, for all its ranks
  int ranks_per_machine = 1;
};
std::optional<std::string> WhyNotMeasured(std::int64_t bytes, const std::vector<TriedSize>& tried,
                                          const CurveLimits& limits);

/// The blocks of a round, by rising size, and how many rounds there is time for.
struct CurvePlan {
  std::vector<CollectiveBlock> blocks;
  int rounds = kLeastCurveRounds;
  double round_s = 0;  ///< what one is likely to take
};

/// `with_pair`: the ping and the stream of two ranks as well, after the sizes.
CurvePlan PlanCurve(const std::vector<TriedSize>& tried, Seconds left, bool with_pair);

}  // namespace stallscope
