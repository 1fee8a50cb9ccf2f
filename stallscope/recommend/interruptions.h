#pragma once

namespace stallscope {

/// A job on machines that may be taken away.
struct InterruptedJob {
  double work_h = 0;           ///< without interruptions and checkpoints
  double interruptions_h = 0;  ///< an hour, of any of its machines
  double checkpoint_h = 0;     ///< that writing one takes
  double restart_h = 0;        ///< from an interruption until training goes on
};

struct CheckpointPlan {
  double every_h = 0;        ///< of work between two checkpoints
  double stretch = 1;        ///< expected time over work
  double interruptions = 0;  ///< expected
  double log_spread = 0;     ///< standard deviation of the logarithm of the time, from interruptions alone
};

/// Daly's interval (J. T. Daly, A higher order estimate of the optimum checkpoint interval for restart dumps,
/// 2006; its first term is Young's sqrt(2 checkpoint / rate), 1974) and his expected time:
///   M e^(R/M) (e^((t + C)/M) - 1) W / t,  M = 1 / rate.
/// A job shorter than its interval writes no checkpoint. Without interruptions nothing is added.
CheckpointPlan PlanCheckpoints(const InterruptedJob& job);

}  // namespace stallscope
