#include "stallscope/ladder/breakdown.h"

#include <fmt/core.h>

#include <algorithm>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

/// One condition's step times, round by round.
using Series = std::vector<double>;

class Ladder {
 public:
  Ladder(const std::vector<RoundTimes>& rounds, std::uint64_t seed) : bootstrap_(rounds.size(), seed) {
    for (const auto& [condition, time] : rounds.front()) conditions_.push_back(condition);
    for (const RoundTimes& round : rounds) {
      if (round.size() != conditions_.size()) throw Incomplete();
      for (const Condition condition : conditions_) {
        const auto found = round.find(condition);
        if (found == round.end()) throw Incomplete();
        series_[condition].push_back(found->second);
      }
    }
  }

  Estimate Mean(Condition condition) const { return bootstrap_.Mean(series_.at(condition)); }
  Condition Lowest() const { return conditions_.front(); }
  Condition Highest() const { return conditions_.back(); }
  const std::vector<Condition>& conditions() const { return conditions_; }
  bool Has(Condition condition) const { return series_.contains(condition); }

  /// The whole step time of a rung.
  Stall Base(Condition condition) const { return MakeStall(series_.at(condition)); }

  /// What lies between the nearest present rung below `from` and `to`.
  Stall Difference(Condition from, Condition to) const {
    const auto below = std::find_if(conditions_.rbegin(), conditions_.rend(),
                                    [&](Condition condition) { return condition < from; });
    Series difference = series_.at(to);
    const Series& lower = series_.at(*below);
    for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= lower[i];
    return MakeStall(difference);
  }

 private:
  static Error Incomplete() {
    return {"a round lacks a condition that others have", "report this as a bug, with steps.csv"};
  }

  Stall MakeStall(const Series& series) const {
    const Estimate seconds = bootstrap_.Mean(series);
    return {.seconds = seconds,
            .share = bootstrap_.Ratio(series, series_.at(Highest())),
            .distinguishable = !seconds.HoldsZero()};
  }

  Bootstrap bootstrap_;
  std::vector<Condition> conditions_;
  std::map<Condition, Series> series_;
};

void FillStalls(const Ladder& ladder, Stalls& stalls) {
  const auto above_base = [&](Condition condition) {
    return ladder.Has(condition) && condition != ladder.Lowest();
  };
  stalls.compute = ladder.Base(ladder.Lowest());
  const bool crowd = above_base(Condition::kCrowd);
  const bool node = above_base(Condition::kNode);
  if (crowd || node) {
    // Where crowd itself is the base, node - crowd is communication alone.
    const Condition from = crowd || !ladder.Has(Condition::kCrowd) ? Condition::kCrowd : Condition::kNode;
    stalls.interconnect = ladder.Difference(from, node ? Condition::kNode : Condition::kCrowd);
  }
  if (crowd) stalls.contention = ladder.Difference(Condition::kCrowd, Condition::kCrowd);
  // Without crowd the two parts cannot be told apart.
  if (node && ladder.Has(Condition::kCrowd)) {
    stalls.communication = ladder.Difference(Condition::kNode, Condition::kNode);
  }
  if (above_base(Condition::kCluster)) {
    stalls.network = ladder.Difference(Condition::kCluster, Condition::kCluster);
  }
  if (above_base(Condition::kWarm)) stalls.prep = ladder.Difference(Condition::kWarm, Condition::kWarm);
  if (above_base(Condition::kCold)) stalls.fetch = ladder.Difference(Condition::kCold, Condition::kCold);
}

}  // namespace

double Breakdown::WidestHalfWidth() const {
  // With one rung its share is 1 in every round; its own uncertainty is all there is.
  if (step_times.size() == 1) return step_time.HalfWidth() / step_time.mean;
  double widest = 0;
  for (const auto* stall :
       {&stalls.compute, &stalls.interconnect, &stalls.network, &stalls.prep, &stalls.fetch}) {
    if (*stall) widest = std::max(widest, (*stall)->share.HalfWidth());
  }
  return widest;
}

Breakdown BreakDown(const std::vector<RoundTimes>& rounds, std::uint64_t seed) {
  if (rounds.size() < 2 || rounds.front().empty()) {
    throw Error(fmt::format("only {} complete round{} of measurements: an interval needs two", rounds.size(),
                            rounds.size() == 1 ? "" : "s"),
                "let it measure longer, or raise --max-time");
  }
  const Ladder ladder(rounds, seed);
  Breakdown breakdown;
  for (const Condition condition : ladder.conditions()) {
    breakdown.step_times[condition] = ladder.Mean(condition);
  }
  breakdown.highest = ladder.Highest();
  breakdown.step_time = breakdown.step_times[breakdown.highest];
  FillStalls(ladder, breakdown.stalls);
  return breakdown;
}

}  // namespace stallscope
