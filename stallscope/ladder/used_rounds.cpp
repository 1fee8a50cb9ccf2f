#include "stallscope/ladder/measure.h"
#include "stallscope/stats/mean.h"

namespace stallscope {
namespace {

/// The mean of a round's other rungs: what the machine as a whole did in that round.
double OthersOf(const RoundTimes& round) {
  std::vector<double> others;
  for (const auto& [condition, time] : round) {
    if (condition != Condition::kSolo) others.push_back(time);
  }
  return MeanOf(others);
}

void FreeOfDeviceSpeed(const UsedRounds& used, std::vector<RoundTimes>& times) {
  std::map<int, std::vector<double>> by_device;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto solo = times[i].find(Condition::kSolo);
    if (solo != times[i].end())
      by_device[used.rounds[i]->solo_turn].push_back(solo->second - OthersOf(times[i]));
  }
  std::map<int, double> device_means;
  std::vector<double> means;
  for (const auto& [device, values] : by_device) {
    if (values.size() < kRoundsPerDevice) return;
    device_means[device] = means.emplace_back(MeanOf(values));
  }
  // One device has nothing to be compared with.
  if (means.size() < 2) return;
  const double mean = MeanOf(means);
  for (std::size_t i = 0; i < times.size(); ++i) {
    times[i][Condition::kSolo] += mean - device_means[used.rounds[i]->solo_turn];
  }
}

}  // namespace

UsedRounds RoundsToUse(const std::vector<MeasuredRound>& rounds) {
  UsedRounds used;
  for (const MeasuredRound& round : rounds) {
    if (!round.polluted) used.rounds.push_back(&round);
  }
  // Of a run that was ended after its second round, one clean round alone would have no interval.
  const bool too_few = used.rounds.size() < 2 && rounds.size() >= 2;
  used.never_idle = too_few || 2 * used.rounds.size() < rounds.size();
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
  FreeOfDeviceSpeed(used, times);
  return times;
}

}  // namespace stallscope
