#include "stallscope/ladder/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "stallscope/base/units.h"
#include "stallscope/ladder/data_blocks.h"
#include "stallscope/stats/mean.h"
#include "stallscope/stats/warm_up.h"

namespace stallscope {
namespace {

/// The reducer rebuilds its buckets in a group's first two steps; they are slower by design.
constexpr int kRebuildSteps = 2;
/// Enough for a first look at the step time, whatever the network.
constexpr int kProbeSteps = 2;
/// A condition that still gets faster after so many warm-up blocks is measured as it is.
constexpr int kMaxWarmUpBlocks = 3;
/// Blocks have a fixed number of steps within these bounds: with one step there is no mean, and more
/// than twenty only make rounds longer.
constexpr int kMinSteps = 2;
constexpr int kMaxSteps = 20;
/// Resampling thousands of rounds after each of them would take longer than measuring; beyond this
/// many the interval is looked at again when the rounds have grown by a twentieth.
constexpr std::size_t kAlwaysLook = 32;
/// A block whose files others brought into memory, or drove out of it, is run again.
constexpr int kDataAttempts = 3;
/// A rung whose blocks failed so often in a row will not be had on this machine today.
constexpr int kHopeless = 3;
/// The loader and the storage alone: long enough beside the lumps in which a limited disk delivers.
constexpr double kAloneTarget_s = 0.5;

/// A block that is still running so long after the time was over is not waited for: a link or a disk may
/// have become a hundred times slower.
constexpr double kOverdue_s = 8;

/// Ends the loops from inside; never leaves this file.
struct Interrupted {};
struct OutOfTime {};

class Climb {
 public:
  Climb(BlockRunner& runner, const MeasureOptions& options, MeasureObserver& observer)
      : runner_(runner),
        options_(options),
        observer_(observer),
        start_s_(options.clock()),
        conditions_(options.conditions) {
    if (options.conditions.empty()) throw UsageError("no condition to measure", "check --conditions");
    result_.rounds = options.earlier;
  }

  MeasureResult Run() {
    try {
      WarmUp();
      result_.stopped_by = MeasureRounds();
    } catch (const Interrupted&) {
      result_.stopped_by = "interrupted";
    } catch (const OutOfTime&) {
      result_.stopped_by = "max-time";
    } catch (const BlockOverdue&) {
      result_.stopped_by = "max-time";
      result_.overdue = OverdueText();
    } catch (const Error& error) {
      // An interrupt also reaches the ranks; what they die of then is no failure.
      const bool interrupted = options_.interrupted();
      result_.stopped_by = interrupted ? "interrupted" : "failed";
      if (!interrupted) result_.error = error;
    }
    return std::move(result_);
  }

 private:
  std::string OverdueText() const {
    const std::string name = ConditionName(running_);
    const auto known = step_times_s_.find(running_);
    if (known == step_times_s_.end()) return fmt::format("a block of '{}' that had not ended", name);
    return fmt::format("a block of '{}' that ran for {} and had not ended, where a step took {}", name,
                       FormatDuration(Seconds(options_.clock() - running_since_s_)),
                       FormatDuration(Seconds(known->second)));
  }

  double Elapsed() const { return options_.clock() - start_s_; }

  void Announce(Condition condition, std::optional<int> round) {
    if (options_.interrupted()) throw Interrupted{};
    MeasureProgress progress;
    progress.round = round;
    progress.condition = condition;
    progress.rounds_done = static_cast<int>(result_.rounds.size());
    progress.rounds_polluted =
        static_cast<int>(std::count_if(result_.rounds.begin(), result_.rounds.end(),
                                       [](const MeasuredRound& done) { return done.polluted; }));
    progress.step_times_s = step_times_s_;
    progress.stalls = stalls_;
    progress.likely_left_s = LikelyLeft();
    progress.widest_half_width = widest_half_width_;
    progress.tolerance = options_.tolerance;
    progress.elapsed_s = Elapsed();
    progress.remaining_s = std::max(0.0, options_.max_time_s - progress.elapsed_s);
    observer_.OnProgress(progress);
  }

  /// Half-widths shrink with the root of the rounds: so many more, as long as those so far.
  std::optional<double> LikelyLeft() const {
    const std::size_t here = result_.rounds.size() - options_.earlier.size();
    if (!widest_half_width_ || here == 0) return std::nullopt;
    const double now = static_cast<double>(RoundsToUse(result_.rounds).rounds.size());
    const double ratio = *widest_half_width_ / options_.tolerance;
    double wanted = std::max<double>(options_.min_rounds, now * ratio * ratio);
    if (options_.max_rounds) wanted = std::min<double>(wanted, *options_.max_rounds);
    const double left_s = std::max(0.0, wanted - now) * rounds_s_ / static_cast<double>(here);
    return std::min(left_s, std::max(0.0, options_.max_time_s - Elapsed()));
  }

  BlockResult InTime(Condition condition, BlockRequest request) {
    request.give_up_at_s = start_s_ + options_.max_time_s + kOverdue_s;
    running_ = condition;
    running_since_s_ = options_.clock();
    return runner_.Run(request);
  }

  MeasuredBlock RunBlock(Condition condition, std::optional<int> round, int turn, const BlockPlan& plan) {
    Announce(condition, round);
    MeasuredBlock block;
    block.round = round;
    block.block = blocks_++;
    block.condition = condition;
    block.skipped_steps = plan.skip;
    BlockRequest request = RequestFor(condition, options_.layout, turn, plan.steps);
    request.sample_every_s = options_.sample_every_s;
    block.result = InTime(condition, request);
    block.foreign = ForeignLoadOf(block.result, options_.cores_per_machine, options_.layout.emulated);
    const DataVerdict verdict = JudgeData(block.result);
    block.verified = verdict.usable;
    if (!verdict.usable) unusable_[condition] = verdict;
    NoteData(block.result);
    observer_.OnBlock(block);
    return block;
  }

  /// Nothing where the files were, after some attempts, still not as they should be.
  std::optional<MeasuredBlock> RunVerified(Condition condition, int round, const BlockPlan& plan) {
    for (int attempt = 0; attempt < kDataAttempts; ++attempt) {
      MeasuredBlock block = RunBlock(condition, round, round, plan);
      if (block.verified) return block;
      if (!unusable_[condition].worth_a_retry) break;
    }
    return std::nullopt;
  }

  void NoteData(const BlockResult& block) {
    std::int64_t bad = 0;
    for (const RankBlock& rank : block.ranks) {
      if (!rank.input) continue;
      bad += rank.input->bad_samples;
      if (result_.data_change.empty()) result_.data_change = rank.input->change;
    }
    result_.bad_samples = std::max(result_.bad_samples, bad);
  }

  /// The ladder goes on without this rung, also in the rounds that are finished.
  void GiveUp(Condition condition, const std::string& reason) {
    std::erase(conditions_, condition);
    step_times_s_.erase(condition);
    for (MeasuredRound& round : result_.rounds) round.blocks.erase(condition);
    result_.given_up.push_back({.condition = ConditionName(condition), .reason = reason});
    if (conditions_.empty())
      throw Error("no rung is left to measure: " + reason, "choose other --conditions");
  }

  /// All steps of all warm-up blocks are given up. Per condition: a short block gives a first step
  /// time, then blocks follow until no warm-up is seen in the series any more.
  void WarmUp() {
    const std::vector<Condition> wanted = conditions_;
    for (const Condition condition : wanted) {
      if (UsesRealData(condition)) {
        WarmUpData(condition);
        continue;
      }
      // Every device warms up: in solo they take turns.
      const int turns = condition == Condition::kSolo ? options_.layout.DevicesPerHost() : 1;
      for (int turn = 0; turn < turns; ++turn) WarmUp(condition, turn);
    }
    double slowest = 0;
    for (const auto& [condition, time] : step_times_s_) slowest = std::max(slowest, time);
    result_.steps_per_block = StepsFor(slowest);
    const int cold_steps = PlanBlock(true, result_.steps_per_block, options_.data).steps;
    if (Measures(Condition::kCold)) {
      if (const auto reason = TooFewSamples(*options_.data, cold_steps)) GiveUp(Condition::kCold, *reason);
    }
    for (const auto& [condition, time] : step_times_s_) {
      longest_round_s_ +=
          time * PlanBlock(UsesRealData(condition), result_.steps_per_block, options_.data).steps;
    }
    longest_round_s_ += kAloneTarget_s * static_cast<double>(alone_steps_.size());
  }

  bool Measures(Condition condition) const {
    return std::find(conditions_.begin(), conditions_.end(), condition) != conditions_.end();
  }

  /// One block shows the step time, and whether the files can be had in the state at all; the job itself is
  /// warm by now.
  void WarmUpData(Condition condition) {
    const BlockPlan plan = PlanBlock(true, kMinSteps, options_.data);
    if (Elapsed() > options_.max_time_s) throw OutOfTime{};
    if (condition == Condition::kCold) {
      if (const auto reason = TooFewSamples(*options_.data, plan.steps)) return GiveUp(condition, *reason);
    }
    for (int attempt = 0; attempt < kDataAttempts; ++attempt) {
      const MeasuredBlock block = RunBlock(condition, std::nullopt, 0, {plan.steps, plan.steps});
      result_.warm_up_steps += plan.steps;
      step_times_s_[condition] = Summarise(block.result, plan.skip, options_.layout.emulated).step_time_s;
      if (block.verified) return WarmUpAlone(condition);
      if (!unusable_[condition].worth_a_retry) break;
    }
    GiveUp(condition, unusable_[condition].reason);
  }

  /// How many steps' batches the loader makes, and the storage delivers, in the time that they get.
  void WarmUpAlone(Condition condition) {
    if (condition == Condition::kCold && !options_.storage_alone) return;
    const BlockPlan plan = PlanBlock(true, kMinSteps, options_.data);
    const BlockResult first = InTime(condition, AloneRequest(condition, 0, plan.steps));
    const double step_s = StepTimeAlone(first, plan.skip);
    const int most = std::max(kMinSteps, result_.steps_per_block > 0 ? result_.steps_per_block : kMaxSteps);
    int steps = kMinSteps;
    if (step_s > 0) steps = static_cast<int>(std::clamp<double>(kAloneTarget_s / step_s, kMinSteps, most));
    // A cold block must not read a file twice.
    while (steps > kMinSteps && TooFewSamples(*options_.data, PlanBlock(true, steps, options_.data).steps))
      --steps;
    alone_steps_[condition] = steps;
  }

  BlockRequest AloneRequest(Condition condition, int turn, int steps) const {
    return condition == Condition::kCold ? StorageAlone(options_.layout, turn, steps)
                                         : LoaderAlone(options_.layout, turn, steps);
  }

  /// The loader and the storage alone; what cannot be verified is absent in this round.
  void RunAlone(MeasuredRound& round) {
    for (const auto& [condition, counted] : alone_steps_) {
      if (!Measures(condition)) continue;
      const BlockPlan plan = PlanBlock(true, counted, options_.data);
      const BlockResult block = InTime(condition, AloneRequest(condition, round.index, plan.steps));
      if (!JudgeData(block).usable) continue;
      const double step_s = StepTimeAlone(block, plan.skip);
      if (condition == Condition::kCold) {
        round.fetch_limit_s = step_s;
      } else {
        round.loader_limit_s = step_s;
        round.loader = LoaderInfoOf(block);
      }
    }
  }

  void WarmUp(Condition condition, int turn) {
    const int rebuild = Synchronised(condition) ? kRebuildSteps : 0;
    std::vector<double> series = WarmUpBlock(condition, turn, rebuild + kProbeSteps, rebuild);
    const double first_look = series.back();
    for (int block = 0; block < kMaxWarmUpBlocks; ++block) {
      const int steps = StepsFor(first_look);
      if (Elapsed() + steps * first_look > options_.max_time_s) throw OutOfTime{};
      const std::vector<double> more = WarmUpBlock(condition, turn, steps, 0);
      series.insert(series.end(), more.begin(), more.end());
      const std::size_t warm_up = WarmUpLength(series);
      step_times_s_[condition] = MeanOf(std::span(series).subspan(warm_up));
      if (warm_up < series.size() / 2) break;
    }
  }

  /// The mean over ranks of each step after the first `skip`.
  std::vector<double> WarmUpBlock(Condition condition, int turn, int steps, int skip) {
    const MeasuredBlock block = RunBlock(condition, std::nullopt, turn, {steps, steps});
    result_.warm_up_steps += steps;
    Summarise(block.result, 0, options_.layout.emulated);  // throws where steps are missing
    std::vector<double> series;
    for (int step = skip; step < steps; ++step) {
      std::vector<double> ranks;
      for (const RankBlock& rank : block.result.ranks) {
        if (!rank.steps.empty()) ranks.push_back(rank.steps[static_cast<std::size_t>(step)].total_s);
      }
      series.push_back(MeanOf(ranks));
    }
    return series;
  }

  int StepsFor(double step_time_s) const {
    if (step_time_s <= 0) return kMaxSteps;
    const double steps = std::round(options_.block_target_s / step_time_s);
    return static_cast<int>(std::clamp<double>(steps, kMinSteps, kMaxSteps));
  }

  std::string MeasureRounds() {
    for (int round = FirstRound();; ++round) {
      if (Elapsed() + longest_round_s_ > options_.max_time_s) return "max-time";
      const double before = options_.clock();
      RunRound(round);
      rounds_s_ += options_.clock() - before;
      longest_round_s_ = std::max(longest_round_s_, options_.clock() - before);
      if (PreciseEnough()) return "tolerance";
      if (options_.max_rounds && RoundsHere() >= *options_.max_rounds) return "rounds";
    }
  }

  int RoundsHere() const { return static_cast<int>(result_.rounds.size() - options_.earlier.size()); }

  int FirstRound() const { return options_.earlier.empty() ? 0 : options_.earlier.back().index + 1; }

  void RunRound(int index) {
    MeasuredRound round;
    round.index = index;
    round.solo_turn = index % options_.layout.DevicesPerHost();
    const std::vector<Condition> order = OrderOfRound(conditions_, index, options_.seed);
    std::deque<Condition> waiting(order.begin(), order.end());
    // Others' bursts are often shorter than a round: what they disturbed is run again at its end.
    std::size_t repeats = order.size();
    while (!waiting.empty()) {
      const Condition condition = waiting.front();
      waiting.pop_front();
      const BlockPlan plan = PlanBlock(UsesRealData(condition), result_.steps_per_block, options_.data);
      const std::optional<MeasuredBlock> block = RunVerified(condition, index, plan);
      if (!block) return LoseRound(condition);
      hopeless_[condition] = 0;
      if (block->foreign.polluted && repeats > 0 && !NeverIdle()) {
        --repeats;
        waiting.push_back(condition);
        continue;
      }
      BlockSummary& summary = round.blocks[condition] =
          Summarise(block->result, plan.skip, options_.layout.emulated, options_.cores_per_machine);
      if (UsesRealData(condition)) summary.cache = JudgeData(block->result).state;
      result_.warm_up_steps += plan.skip;
      round.polluted = round.polluted || block->foreign.polluted;
    }
    RunAlone(round);
    observer_.OnRound(round);
    result_.rounds.push_back(std::move(round));
  }

  /// Where the machine was never idle so far, running blocks again only takes longer.
  bool NeverIdle() const { return result_.rounds.size() >= 4 && RoundsToUse(result_.rounds).never_idle; }

  /// Only complete rounds count.
  void LoseRound(Condition condition) {
    ++result_.unverified_rounds;
    if (++hopeless_[condition] >= kHopeless) GiveUp(condition, unusable_[condition].reason);
  }

  bool PreciseEnough() {
    const UsedRounds used = RoundsToUse(result_.rounds);
    const std::size_t count = used.rounds.size();
    if (count < 2) return false;
    if (count > kAlwaysLook && count * 20 < looked_at_ * 21) return false;
    looked_at_ = count;
    const Breakdown breakdown = BreakDown(TimesOf(used), options_.seed);
    for (const auto& [condition, time] : breakdown.step_times) step_times_s_[condition] = time.mean;
    stalls_ = breakdown.stalls;
    widest_half_width_ = breakdown.WidestHalfWidth();
    // Each device has had as many turns in solo as the others.
    const bool balanced = result_.rounds.size() % static_cast<std::size_t>(SoloTurns()) == 0;
    return balanced && count >= static_cast<std::size_t>(options_.min_rounds) &&
           *widest_half_width_ < options_.tolerance;
  }

  int SoloTurns() const {
    const bool solo = conditions_.front() == Condition::kSolo;
    return solo ? options_.layout.DevicesPerHost() : 1;
  }

  BlockRunner& runner_;
  const MeasureOptions& options_;
  MeasureObserver& observer_;
  double start_s_;
  double longest_round_s_ = 0;
  Condition running_ = Condition::kSolo;
  double running_since_s_ = 0;
  int blocks_ = 0;
  std::size_t looked_at_ = 0;
  std::map<Condition, double> step_times_s_;
  std::optional<double> widest_half_width_;
  std::optional<Stalls> stalls_;
  double rounds_s_ = 0;  ///< spent in rounds of this run
  std::vector<Condition> conditions_;
  std::map<Condition, DataVerdict> unusable_;  ///< the last one of each
  std::map<Condition, int> hopeless_;          ///< rounds in a row that were lost to it
  std::map<Condition, int> alone_steps_;       ///< warm: the loader alone, cold: the storage alone
  MeasureResult result_;
};

}  // namespace

MeasureResult Measure(BlockRunner& runner, const MeasureOptions& options, MeasureObserver& observer) {
  return Climb(runner, options, observer).Run();
}

}  // namespace stallscope
