#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/engine/block.h"
#include "stallscope/law/sweep_cell.h"

namespace stallscope {

struct CellOptions {
  /// Every link takes part in so many rounds at least...
  int min_rounds = 3;
  /// ...unless its block takes longer than `long_block_s`: slow links are nearly deterministic.
  int min_long_rounds = 2;
  double long_block_s = 8;
  int max_rounds = 6;
  /// Short rounds are worth little each and cost little: there are more of them, while all together take less
  /// than `short_rounds_s`.
  int max_short_rounds = 20;
  double short_rounds_s = 20;
  /// Enough once every stall is known to this share of its step time.
  double tolerance = 0.03;
  /// Blocks last about this long, in so many steps at most. One long step is a block.
  double block_target_s = 0.5;
  int max_steps = 50;
  /// A step that takes less than this is followed by another after each switch, and the first one counts in
  /// no mean: caches, clocks and TCP's windows have to settle.
  double settle_below_s = 8;
  /// Measuring ends by then, with the rounds that it has.
  double max_time_s = 300;
  int cores = 1;
  std::uint64_t seed = 1;
  /// Over emulated machines (`cluster`), else inside this one (`node`).
  bool emulated = true;
  /// A resumed sweep goes on with points whose stall is known less well than to this share of step time.
  std::optional<double> again_above;
  /// Rounds that an earlier run of the same cell has finished.
  int earlier_rounds = 0;
  std::function<double()> clock = MonotonicSeconds;
  std::function<bool()> interrupted = [] { return false; };
};

struct CellResult {
  std::vector<SweepRound> rounds;
  std::string stopped_by;  ///< "tolerance", "rounds", "max-time", "interrupted" or "failed"
  std::optional<Error> error;
  double warm_up_s = 0;  ///< before the first round
};

/// Measures a cell in interleaved rounds: in each a block without synchronisation and, in random order, one
/// over every link. `set_link` changes the link between the ranks of the running job. `on_round` is called
/// with each finished round before the next begins. Errors of the runner end measuring and are kept beside
/// the finished rounds.
CellResult MeasureCell(BlockRunner& runner, const SweepCell& cell, const CellOptions& options,
                       const std::function<void(const SweepLink&)>& set_link,
                       const std::function<void(const SweepRound&)>& on_round);

/// The stall over a link, and the step: medians over rounds of each round's usual step, paired. Rounds that
/// others disturbed do not count where at least two are clean; nothing where there are fewer than two.
struct MeasuredStall {
  Estimate crowd_s;
  Estimate step_s;
  Estimate stall_s;
  StepParts crowd;       ///< means over the same rounds
  double slowest_s = 0;  ///< without synchronisation, of the slowest rank
  int rounds = 0;
  int clean = 0;  ///< rounds that nobody disturbed
};
std::optional<MeasuredStall> StallOver(const std::vector<SweepRound>& rounds, const std::string& link);

}  // namespace stallscope
