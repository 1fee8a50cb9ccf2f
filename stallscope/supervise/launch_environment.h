#pragma once

#include <optional>
#include <string>

#include "stallscope/base/environment.h"

namespace stallscope {

/// What an outside launcher says about this process.
struct LaunchedRank {
  int rank = 0;
  int local_rank = 0;
  int world_size = 1;
  std::optional<int> local_world_size;
  std::optional<int> node_rank;
  std::optional<std::string> master_addr;
  std::optional<int> master_port;
  std::string launcher;  ///< "torchrun", "RANK and WORLD_SIZE", "mpirun" or "srun"
  /// The same for all ranks of one job, and another for the next job.
  std::string job_id;
  /// torchrun's agent serves the store at the master address already: ranks connect, none listens.
  bool agent_store = false;
};

/// Nothing where no launcher started this process. Variables that are half set, malformed or at odds with
/// each other are a UsageError that names them. `RANK` and `WORLD_SIZE` come first, for torchrun may itself
/// be started by srun or mpirun; then Open MPI's, then Slurm's.
std::optional<LaunchedRank> ReadLaunchEnvironment(const Environment& environment);

}  // namespace stallscope
