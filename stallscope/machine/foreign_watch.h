#pragma once

#include "stallscope/base/root.h"
#include "stallscope/machine/cpu_load.h"

namespace stallscope {

/// The kernel counts in ticks of 10 ms on every core; less cannot be told from nothing.
inline constexpr double kTickSeconds = 0.01;

/// CPU time of a stretch of work, as one machine counted it.
struct LoadSpan {
  double wall_s = 0;
  double own_s = 0;      ///< of the processes that work
  double machine_s = 0;  ///< of all processes; interrupts belong to nobody
  double steal_s = 0;    ///< taken by the hypervisor
};

/// What others took meanwhile, in units of what can be borne: `share` of one core, and a tick on every core.
/// Above 1 the work was disturbed.
double DisturbanceOf(const LoadSpan& span, int cores, double share);

/// CPU time of this process, all threads.
double OwnCpuSeconds();

/// Watches this machine from its construction on, while this process works.
class ForeignWatch {
 public:
  explicit ForeignWatch(Root root = {});
  LoadSpan Span() const;

 private:
  Root root_;
  double begin_s_;
  double own_s_;
  CpuLoad load_;
};

}  // namespace stallscope
