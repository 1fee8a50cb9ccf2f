#include "stallscope/ladder/epochs.h"

#include <algorithm>

namespace stallscope {

double CachedShare(std::int64_t dataset_bytes, std::int64_t room_bytes) {
  if (dataset_bytes <= room_bytes) return 1;
  return std::max(0.0, static_cast<double>(room_bytes) / static_cast<double>(dataset_bytes));
}

std::vector<RoundTimes> SteadyTimes(const std::vector<RoundTimes>& rounds, double cached_share) {
  std::vector<RoundTimes> steady = rounds;
  for (RoundTimes& round : steady) {
    const auto cold = round.find(Condition::kCold);
    const auto warm = round.find(Condition::kWarm);
    if (cold == round.end() || warm == round.end()) continue;
    cold->second = warm->second + (1 - cached_share) * (cold->second - warm->second);
  }
  return steady;
}

std::optional<SteadyState> SteadyStateOf(const std::vector<RoundTimes>& rounds, double cached_share,
                                         std::uint64_t seed) {
  const RoundTimes& first = rounds.front();
  if (!first.contains(Condition::kWarm)) return std::nullopt;
  if (cached_share < 1 && !first.contains(Condition::kCold)) return std::nullopt;
  const Breakdown breakdown = BreakDown(SteadyTimes(rounds, cached_share), seed);
  return SteadyState{
      .step_time_s = breakdown.step_time, .cached_share = cached_share, .stalls = breakdown.stalls};
}

}  // namespace stallscope
