#pragma once

#include <map>
#include <optional>
#include <vector>

#include "stallscope/report/run_blocks.h"

namespace stallscope {

/// How far a machine's clock is ahead of the first machine's, and by how much that may be wrong.
struct ClockOffset {
  double ahead_s = 0;
  double error_s = 0;
};

/// What one block of steps that all machines reduce together says of the clocks: no rank has the average of a
/// bucket before every rank has handed its own over. So for each bucket
///
///   begin on n - end on 0  <=  ahead of n  <=  end on n - begin on 0,
///
/// each in its machine's own clock, and the narrowest bounds over all buckets hold. By machine; the first is
/// not among them. Empty where nothing was reduced over machines.
std::map<int, ClockOffset> OffsetsOfBlock(const RunBlock& block);

/// The offsets of a whole run. Clocks drift, so each block has its own; blocks that reduce nothing take those
/// of the nearest that does.
class ClockOffsets {
 public:
  /// `one_clock`: all machines are emulated on one host.
  explicit ClockOffsets(bool one_clock) : one_clock_(one_clock) {}

  /// Every block of the run, in order.
  void Add(const RunBlock& block);

  /// Nothing where the machine's clock could not be related to the first one's.
  std::optional<ClockOffset> Of(std::size_t block, int node) const;

  /// The largest error of any block, by machine.
  std::map<int, ClockOffset> Worst() const;

 private:
  bool one_clock_;
  std::vector<std::map<int, ClockOffset>> blocks_;
};

}  // namespace stallscope
