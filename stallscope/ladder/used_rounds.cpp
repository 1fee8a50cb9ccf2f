#include "stallscope/ladder/measure.h"

namespace stallscope {

UsedRounds RoundsToUse(const std::vector<MeasuredRound>& rounds) {
  UsedRounds used;
  for (const MeasuredRound& round : rounds) {
    if (!round.polluted) used.rounds.push_back(&round);
  }
  used.never_idle = 2 * used.rounds.size() < rounds.size();
  if (used.never_idle) {
    used.rounds.clear();
    for (const MeasuredRound& round : rounds) used.rounds.push_back(&round);
  }
  used.dropped = static_cast<int>(rounds.size() - used.rounds.size());
  return used;
}

std::vector<RoundTimes> TimesOf(const UsedRounds& used) {
  std::vector<RoundTimes> times;
  for (const MeasuredRound* round : used.rounds) {
    RoundTimes& row = times.emplace_back();
    for (const auto& [condition, block] : round->blocks) row[condition] = block.step_time_s;
  }
  return times;
}

}  // namespace stallscope
