#include "stallscope/recommend/interruptions.h"

#include <algorithm>
#include <cmath>

namespace stallscope {
namespace {

double DalyInterval(double checkpoint, double mean_time) {
  if (checkpoint >= 2 * mean_time) return mean_time;
  const double ratio = checkpoint / (2 * mean_time);
  return std::sqrt(2 * checkpoint * mean_time) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - checkpoint;
}

}  // namespace

CheckpointPlan PlanCheckpoints(const InterruptedJob& job) {
  CheckpointPlan plan;
  plan.every_h = job.work_h;
  if (job.interruptions_h <= 0 || job.work_h <= 0) return plan;
  const double mean_time = 1 / job.interruptions_h;
  const double interval = DalyInterval(job.checkpoint_h, mean_time);
  const bool saves = interval < job.work_h && interval > 0;
  plan.every_h = saves ? interval : job.work_h;
  const double checkpoint = saves ? job.checkpoint_h : 0;
  const double segments = job.work_h / plan.every_h;
  const double segment = plan.every_h + checkpoint;
  const double total =
      mean_time * std::exp(job.restart_h / mean_time) * std::expm1(segment / mean_time) * segments;
  plan.stretch = total / job.work_h;
  plan.interruptions = total / mean_time;
  // An interruption costs a restart and, on average, half a segment, which is uniform: its mean square is
  // that of both. Their number is Poisson's, so the variance of the sum is the number times the mean square.
  const double mean_square = job.restart_h * job.restart_h + job.restart_h * segment + segment * segment / 3;
  plan.log_spread = std::sqrt(std::log1p(plan.interruptions * mean_square / (total * total)));
  return plan;
}

}  // namespace stallscope
