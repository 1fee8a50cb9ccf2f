#include "stallscope/machine/foreign_watch.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "stallscope/base/clock.h"

namespace stallscope {

double DisturbanceOf(const LoadSpan& span, int cores, double share) {
  // A process's own clock is finer than the machine's ticks, and may be ahead of them.
  const double foreign = std::max(0.0, span.machine_s - span.own_s) + span.steal_s;
  return foreign / (share * span.wall_s + kTickSeconds * cores);
}

double OwnCpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

ForeignWatch::ForeignWatch(Root root)
    : root_(std::move(root)),
      begin_s_(MonotonicSeconds()),
      own_s_(OwnCpuSeconds()),
      load_(ReadCpuLoad(root_).value_or(CpuLoad{})) {}

LoadSpan ForeignWatch::Span() const {
  // Where the machine does not tell, nothing is known of others.
  const CpuLoad now = ReadCpuLoad(root_).value_or(load_);
  return {.wall_s = MonotonicSeconds() - begin_s_,
          .own_s = OwnCpuSeconds() - own_s_,
          .machine_s = (now.busy_s - now.interrupts_s) - (load_.busy_s - load_.interrupts_s),
          .steal_s = now.steal_s - load_.steal_s};
}

}  // namespace stallscope
