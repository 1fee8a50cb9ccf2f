#pragma once

#include <vector>

namespace stallscope {

struct CpuDivision {
  std::vector<std::vector<int>> sets;  ///< one per rank
  bool oversubscribed = false;         ///< more ranks than cores: some share one
};

/// The cores that this process may use, in rising order: what taskset, Slurm or a container left us.
std::vector<int> AllowedCpus();

/// Contiguous sets, as equal as they can be, the larger ones first. More ranks than cores share them round
/// robin.
CpuDivision DivideCpus(const std::vector<int>& cpus, int ranks);

}  // namespace stallscope
