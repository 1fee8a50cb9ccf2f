#include "stallscope/ladder/launches.h"

#include <algorithm>

#include "stallscope/ladder/breakdown.h"
#include "stallscope/stats/mean.h"

namespace stallscope {
namespace {

std::vector<MeasuredRound> Completed(const LaunchPair& launch) {
  std::vector<MeasuredRound> rounds = launch.all.rounds;
  if (launch.solo.rounds.empty()) return rounds;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const MeasuredRound& solo = launch.solo.rounds[std::min(i, launch.solo.rounds.size() - 1)];
    rounds[i].blocks[Condition::kSolo] = solo.blocks.at(Condition::kSolo);
    rounds[i].polluted = rounds[i].polluted || solo.polluted;
  }
  return rounds;
}

bool HaveSolo(const std::vector<LaunchPair>& launches) {
  return std::any_of(launches.begin(), launches.end(),
                     [](const LaunchPair& launch) { return !launch.solo.rounds.empty(); });
}

/// The mean step times of each launch that has rounds to use.
std::vector<RoundTimes> MeansOf(const std::vector<LaunchPair>& launches) {
  std::vector<RoundTimes> means;
  const bool with_solo = HaveSolo(launches);
  for (const LaunchPair& launch : launches) {
    if (with_solo && launch.solo.rounds.empty()) continue;
    const std::vector<MeasuredRound> rounds = Completed(launch);
    const UsedRounds used = RoundsToUse(rounds);
    if (used.rounds.empty()) continue;
    std::map<Condition, std::vector<double>> series;
    for (const MeasuredRound* round : used.rounds) {
      for (const auto& [condition, block] : round->blocks) series[condition].push_back(block.step_time_s);
    }
    RoundTimes& mean = means.emplace_back();
    for (const auto& [condition, values] : series) mean[condition] = MeanOf(values);
  }
  return means;
}

void Widen(Estimate& estimate, const Estimate& over_launches) {
  estimate.low = std::min(estimate.low, estimate.mean - (over_launches.mean - over_launches.low));
  estimate.high = std::max(estimate.high, estimate.mean + (over_launches.high - over_launches.mean));
}

void Widen(std::optional<Stall>& stall, const std::optional<Stall>& over_launches) {
  if (!stall || !over_launches) return;
  Widen(stall->seconds, over_launches->seconds);
  Widen(stall->share, over_launches->share);
  stall->distinguishable = !stall->seconds.HoldsZero();
}

}  // namespace

MeasureResult JoinLaunches(const std::vector<LaunchPair>& launches) {
  MeasureResult joined;
  const bool with_solo = HaveSolo(launches);
  for (const LaunchPair& launch : launches) {
    // A run that was ended between the two launches of a pair has half a pair, which cannot be compared.
    const bool whole = !with_solo || !launch.solo.rounds.empty();
    for (MeasuredRound& round : whole ? Completed(launch) : std::vector<MeasuredRound>{}) {
      round.index = static_cast<int>(joined.rounds.size());
      joined.rounds.push_back(std::move(round));
    }
    for (const MeasureResult* part : {&launch.all, &launch.solo}) {
      joined.warm_up_steps += part->warm_up_steps;
      joined.unverified_rounds += part->unverified_rounds;
      if (part->error && !joined.error) joined.error = part->error;
      if (joined.overdue.empty()) joined.overdue = part->overdue;
    }
    joined.stopped_by = launch.all.stopped_by;
    joined.bad_samples = std::max(joined.bad_samples, launch.all.bad_samples);
    if (joined.data_change.empty()) joined.data_change = launch.all.data_change;
    joined.steps_per_block = launch.all.steps_per_block;
    for (const AbsentCondition& given_up : launch.all.given_up) {
      const bool known =
          std::any_of(joined.given_up.begin(), joined.given_up.end(),
                      [&](const AbsentCondition& other) { return other.condition == given_up.condition; });
      if (!known) joined.given_up.push_back(given_up);
    }
  }
  // A rung that one launch had to give up is in no round of the whole.
  for (const AbsentCondition& given_up : joined.given_up) {
    for (MeasuredRound& round : joined.rounds) round.blocks.erase(ParseCondition(given_up.condition));
  }
  return joined;
}

void WidenOverLaunches(const std::vector<LaunchPair>& launches, Profile& profile) {
  const std::vector<RoundTimes> means = MeansOf(launches);
  const bool has_solo = !means.empty() && means.front().contains(Condition::kSolo);
  if (means.size() < 2 || !has_solo) return;
  const Breakdown over = BreakDown(means, profile.seed);
  Widen(profile.conditions.at("solo").step_time_s, over.step_times.at(Condition::kSolo));
  for (Stalls* stalls : {&profile.stalls, profile.steady_state ? &profile.steady_state->stalls : nullptr}) {
    if (stalls == nullptr) continue;
    Widen(stalls->compute, over.stalls.compute);
    Widen(stalls->interconnect, over.stalls.interconnect);
    Widen(stalls->contention, over.stalls.contention);
  }
}

}  // namespace stallscope
