#pragma once

#include <optional>

#include "stallscope/base/root.h"

namespace stallscope {

/// CPU time of a whole machine since its start, all cores together.
struct CpuLoad {
  double busy_s = 0;        ///< user, nice, system, irq and softirq; guests are already inside user
  double steal_s = 0;       ///< taken by the hypervisor
  double interrupts_s = 0;  ///< irq and softirq, of busy_s
};

/// proc/stat, in the kernel's ticks of 10 ms per core; nothing where it cannot be read.
std::optional<CpuLoad> ReadCpuLoad(const Root& root, double ticks_per_second = 100);

}  // namespace stallscope
