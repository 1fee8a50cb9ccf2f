#include "stallscope/ladder/measure.h"

#include <algorithm>
#include <cmath>

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

/// Ends the loops from inside; never leaves this file.
struct Interrupted {};
struct OutOfTime {};

class Climb {
 public:
  Climb(BlockRunner& runner, const MeasureOptions& options, MeasureObserver& observer)
      : runner_(runner), options_(options), observer_(observer), start_s_(options.clock()) {
    if (options.conditions.empty()) throw UsageError("no condition to measure", "check --conditions");
  }

  MeasureResult Run() {
    try {
      WarmUp();
      result_.stopped_by = MeasureRounds();
    } catch (const Interrupted&) {
      result_.stopped_by = "interrupted";
    } catch (const OutOfTime&) {
      result_.stopped_by = "max-time";
    } catch (const Error& error) {
      // An interrupt also reaches the ranks; what they die of then is no failure.
      const bool interrupted = options_.interrupted();
      result_.stopped_by = interrupted ? "interrupted" : "failed";
      if (!interrupted) result_.error = error;
    }
    return std::move(result_);
  }

 private:
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
    progress.widest_half_width = widest_half_width_;
    progress.tolerance = options_.tolerance;
    progress.elapsed_s = Elapsed();
    progress.remaining_s = std::max(0.0, options_.max_time_s - progress.elapsed_s);
    observer_.OnProgress(progress);
  }

  MeasuredBlock RunBlock(Condition condition, std::optional<int> round, int turn, int steps, int skip) {
    Announce(condition, round);
    MeasuredBlock block;
    block.round = round;
    block.block = blocks_++;
    block.condition = condition;
    block.skipped_steps = skip;
    block.result = runner_.Run(RequestFor(condition, options_.layout, turn, steps));
    block.foreign = ForeignLoadOf(block.result, options_.cores_per_machine, options_.layout.emulated);
    observer_.OnBlock(block);
    return block;
  }

  /// All steps of all warm-up blocks are given up. Per condition: a short block gives a first step
  /// time, then blocks follow until no warm-up is seen in the series any more.
  void WarmUp() {
    for (const Condition condition : options_.conditions) {
      // Every device warms up: in solo they take turns.
      const int turns = condition == Condition::kSolo ? options_.layout.DevicesPerHost() : 1;
      for (int turn = 0; turn < turns; ++turn) WarmUp(condition, turn);
    }
    double slowest = 0;
    for (const auto& [condition, time] : step_times_s_) slowest = std::max(slowest, time);
    result_.steps_per_block = StepsFor(slowest);
    const double steps = result_.steps_per_block + kSettleSteps;
    for (const auto& [condition, time] : step_times_s_) longest_round_s_ += steps * time;
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
    const MeasuredBlock block = RunBlock(condition, std::nullopt, turn, steps, steps);
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
    for (int round = 0;; ++round) {
      if (Elapsed() + longest_round_s_ > options_.max_time_s) return "max-time";
      const double before = options_.clock();
      RunRound(round);
      longest_round_s_ = std::max(longest_round_s_, options_.clock() - before);
      if (PreciseEnough()) return "tolerance";
    }
  }

  void RunRound(int index) {
    MeasuredRound round;
    round.solo_turn = index % options_.layout.DevicesPerHost();
    const int steps = result_.steps_per_block + kSettleSteps;
    for (const Condition condition : OrderOfRound(options_.conditions, index, options_.seed)) {
      const MeasuredBlock block = RunBlock(condition, index, index, steps, kSettleSteps);
      round.blocks[condition] =
          Summarise(block.result, kSettleSteps, options_.layout.emulated, options_.cores_per_machine);
      round.polluted = round.polluted || block.foreign.polluted;
    }
    result_.warm_up_steps += kSettleSteps * static_cast<int>(round.blocks.size());
    result_.rounds.push_back(std::move(round));
  }

  bool PreciseEnough() {
    const UsedRounds used = RoundsToUse(result_.rounds);
    const std::size_t count = used.rounds.size();
    if (count < 2) return false;
    if (count > kAlwaysLook && count * 20 < looked_at_ * 21) return false;
    looked_at_ = count;
    const Breakdown breakdown = BreakDown(TimesOf(used), options_.seed);
    for (const auto& [condition, time] : breakdown.step_times) step_times_s_[condition] = time.mean;
    widest_half_width_ = breakdown.WidestHalfWidth();
    // Each device has had as many turns in solo as the others.
    const bool balanced = result_.rounds.size() % static_cast<std::size_t>(SoloTurns()) == 0;
    return balanced && count >= static_cast<std::size_t>(options_.min_rounds) &&
           *widest_half_width_ < options_.tolerance;
  }

  int SoloTurns() const {
    const bool solo = options_.conditions.front() == Condition::kSolo;
    return solo ? options_.layout.DevicesPerHost() : 1;
  }

  BlockRunner& runner_;
  const MeasureOptions& options_;
  MeasureObserver& observer_;
  double start_s_;
  double longest_round_s_ = 0;
  int blocks_ = 0;
  std::size_t looked_at_ = 0;
  std::map<Condition, double> step_times_s_;
  std::optional<double> widest_half_width_;
  MeasureResult result_;
};

}  // namespace

MeasureResult Measure(BlockRunner& runner, const MeasureOptions& options, MeasureObserver& observer) {
  return Climb(runner, options, observer).Run();
}

}  // namespace stallscope
