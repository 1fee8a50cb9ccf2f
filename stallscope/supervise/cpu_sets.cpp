#include "stallscope/supervise/cpu_sets.h"

#include <sched.h>

#include <cerrno>

#include "stallscope/base/error.h"
#include "stallscope/supervise/file_descriptor.h"

namespace stallscope {

std::vector<int> AllowedCpus() {
  // The kernel refuses a mask narrower than its own; machines exist with more than CPU_SETSIZE cores.
  std::vector<cpu_set_t> mask(1, cpu_set_t{});
  while (sched_getaffinity(0, mask.size() * sizeof(cpu_set_t), mask.data()) != 0) {
    if (errno != EINVAL || mask.size() > 64) {
      throw Error("cannot read the cores of this process: " + ErrnoText(errno), "check taskset -p $$");
    }
    mask.assign(mask.size() * 2, cpu_set_t{});
  }
  std::vector<int> cpus;
  for (std::size_t cpu = 0; cpu < mask.size() * CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET_S(cpu, mask.size() * sizeof(cpu_set_t), mask.data())) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

CpuDivision DivideCpus(const std::vector<int>& cpus, int ranks) {
  if (ranks < 1 || cpus.empty()) {
    throw UsageError("there is nothing to divide the cores among", "ask for at least one rank");
  }
  CpuDivision division;
  const auto count = static_cast<std::size_t>(ranks);
  division.oversubscribed = count > cpus.size();
  std::size_t next = 0;
  for (std::size_t rank = 0; rank < count; ++rank) {
    if (division.oversubscribed) {
      division.sets.push_back({cpus[rank % cpus.size()]});
      continue;
    }
    const std::size_t size = cpus.size() / count + (rank < cpus.size() % count ? 1 : 0);
    std::vector<int>& set = division.sets.emplace_back();
    for (std::size_t i = 0; i < size; ++i) set.push_back(cpus[next++]);
  }
  return division;
}

}  // namespace stallscope
