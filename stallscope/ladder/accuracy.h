#pragma once

#include <functional>
#include <string>
#include <vector>

#include "stallscope/document/estimate.h"
#include "stallscope/ladder/injection_case.h"
#include "stallscope/ladder/measure.h"

namespace stallscope {

struct SelfTestOptions {
  Layout layout;
  DataPlan data;
  double gradient_bytes = 0;
  double network_bytes_per_s = 0;
  bool limits_disk = false;
  int cores_per_machine = 1;
  /// No round begins that would end later; three are measured in any case.
  double max_time_s = 300;
  std::uint64_t seed = 1;
  double block_target_s = 0.8;
  std::function<double()> clock = MonotonicSeconds;
  std::function<bool()> interrupted = [] { return false; };
  /// Sets the links and the disk for a block of this case; the baseline has no rates of its own.
  std::function<void(const InjectionCase&, Condition)> arrange;
  /// Told before each block.
  std::function<void(const std::string& line)> progress = [](const std::string&) {};
};

/// One stall of one case: what arithmetic says, what the ladder found.
struct SelfTestCell {
  std::string injection;
  std::string stall;
  double expected_s = 0;  ///< mean over rounds
  Estimate measured_s;
  Estimate miss;  ///< (measured - expected) / baseline step time, paired by round
  bool passed = false;
};

struct SelfTestResult {
  InjectionBasis basis;
  std::vector<InjectionCase> cases;
  std::vector<SelfTestCell> cells;
  double baseline_step_s = 0;
  int rounds = 0;
  int disturbed_blocks = 0;  ///< that count, although other processes took processor time from them
  bool interrupted = false;

  double PassedShare() const;
};

/// A cell passes within this share of the baseline's step time, or where its interval holds the expectation.
inline constexpr double kSelfTestMargin = 0.05;
/// So many cells have to pass.
inline constexpr double kSelfTestShare = 0.95;

/// Injects stalls of known size, one at a time and all together, in blocks interleaved with those of the
/// baseline, and compares what the ladder makes of them with arithmetic. All six rungs must be there.
SelfTestResult RunSelfTest(BlockRunner& runner, const SelfTestOptions& options);

}  // namespace stallscope
