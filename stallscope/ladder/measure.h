#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/engine/block.h"
#include "stallscope/ladder/block_plan.h"
#include "stallscope/ladder/block_summary.h"
#include "stallscope/ladder/breakdown.h"
#include "stallscope/ladder/condition.h"
#include "stallscope/ladder/foreign_load.h"

namespace stallscope {

struct MeasuredRound {
  int index = 0;      ///< counted from 0 through all runs that were resumed
  int solo_turn = 0;  ///< which device of each machine ran solo
  std::map<Condition, BlockSummary> blocks;
  bool polluted = false;
  std::optional<double> loader_limit_s;  ///< per step: the loader alone, on files in memory
  std::optional<double> fetch_limit_s;   ///< per step: the storage alone
  std::optional<LoaderInfo> loader;
};

struct MeasureOptions {
  Layout layout;
  /// The rungs to climb, from the bottom up; usually RungsOf(layout).present.
  std::vector<Condition> conditions;
  /// Stop once every stall's half-width is below this share of the step time...
  double tolerance = 0.03;
  /// ...but not on fewer rounds than these: intervals from fewer are rough.
  int min_rounds = 8;
  /// So many of this run are enough in any case; nothing: the other rules decide.
  std::optional<int> max_rounds;
  /// Everything, warm-up included, ends by then.
  double max_time_s = 300;
  /// Blocks last about this long: short beside the drift of a noisy machine, long beside switching.
  double block_target_s = 1;
  std::uint64_t seed = 1;
  /// For the rungs with real data.
  std::optional<DataPlan> data;
  /// Whether the runner can read files without decoding them, to see the storage alone.
  bool storage_alone = true;
  /// Between two samples of the machines' resources; 0: none.
  double sample_every_s = 0;
  /// Finished rounds of an earlier run that this one goes on with.
  std::vector<MeasuredRound> earlier;
  /// Of each machine; the resolution of its load depends on it.
  int cores_per_machine = 1;
  std::function<double()> clock = MonotonicSeconds;
  /// Asked between blocks; true ends measuring and keeps the finished rounds.
  std::function<bool()> interrupted = [] { return false; };
};

/// One finished block, as the logs keep it.
struct MeasuredBlock {
  std::optional<int> round;  ///< counted from 0; nothing in warm-up blocks
  int block = 0;             ///< counted from 0 through the whole run
  Condition condition = Condition::kSolo;
  int skipped_steps = 0;  ///< its first steps, which count in no mean
  /// Whether its files were in the state that was asked for; a block that is not verified counts nowhere.
  bool verified = true;
  ForeignLoad foreign;
  BlockResult result;
};

/// Where measuring stands; given before each block.
struct MeasureProgress {
  std::optional<int> round;  ///< nothing while warming up
  Condition condition = Condition::kSolo;
  int rounds_done = 0;
  int rounds_polluted = 0;
  std::map<Condition, double> step_times_s;  ///< means so far
  std::optional<Stalls> stalls;              ///< so far; nothing before an interval can be given
  std::optional<double> widest_half_width;   ///< share of the step time, beside `tolerance`
  double tolerance = 0;
  double elapsed_s = 0;
  double remaining_s = 0;               ///< at most
  std::optional<double> likely_left_s;  ///< until the tolerance is met, as the rounds scatter so far
};

class MeasureObserver {
 public:
  virtual ~MeasureObserver() = default;
  virtual void OnProgress(const MeasureProgress& /*progress*/) {}
  /// Every block as it finishes, so that a log can be written before anything can be lost.
  virtual void OnBlock(const MeasuredBlock& /*block*/) {}
  /// Every complete round, so that a later run can go on with it.
  virtual void OnRound(const MeasuredRound& /*round*/) {}
};

struct MeasureResult {
  std::vector<MeasuredRound> rounds;  ///< complete ones, polluted and earlier ones too
  /// Rungs that turned out not to be had, with the reason; no round holds them.
  std::vector<AbsentCondition> given_up;
  int unverified_rounds = 0;  ///< given up because files were not in the state that was asked for
  std::string data_change;    ///< what changed in the data set meanwhile; empty: nothing
  std::int64_t bad_samples = 0;
  int steps_per_block = 0;  ///< counted steps; a block has kSettleSteps more
  int warm_up_steps = 0;    ///< discarded, per rank that took part
  /// What was still running long after the time was over, and was given up; empty: nothing.
  std::string overdue;
  std::string stopped_by;      ///< "tolerance", "max-time", "rounds", "interrupted" or "failed"
  std::optional<Error> error;  ///< what the runner threw, where it failed
};

/// Climbs the ladder in interleaved rounds until the stop rule is met. Errors of the runner end
/// measuring, and are kept beside the finished rounds.
MeasureResult Measure(BlockRunner& runner, const MeasureOptions& options, MeasureObserver& observer);

/// The rounds that count. Polluted ones are dropped whole; but where fewer than half are clean, or fewer than
/// the two that an interval needs, the machine is never idle, and all count.
struct UsedRounds {
  std::vector<const MeasuredRound*> rounds;
  int dropped = 0;
  bool never_idle = false;
};
UsedRounds RoundsToUse(const std::vector<MeasuredRound>& rounds);

/// The step times of the used rounds. Where every device has run solo at least kRoundsPerDevice times,
/// each solo time is freed of its device's own speed: how far the device is, over its rounds, from the
/// other rungs of the same rounds is replaced by the mean of that over devices. So unequal devices
/// neither widen the intervals nor, where dropped rounds left some device fewer turns than others,
/// shift the mean.
inline constexpr int kRoundsPerDevice = 4;
std::vector<RoundTimes> TimesOf(const UsedRounds& used);

}  // namespace stallscope
