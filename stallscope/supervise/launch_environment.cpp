#include "stallscope/supervise/launch_environment.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <limits>

#include "stallscope/base/error.h"
#include "stallscope/supervise/slurm_node_list.h"

namespace stallscope {
namespace {

std::optional<int> ReadNumber(const Environment& environment, const std::string& name) {
  const auto text = environment(name);
  if (!text) return std::nullopt;
  std::int64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || stop != end || value < 0 || value > std::numeric_limits<int>::max()) {
    throw UsageError(fmt::format("{}='{}' is not a whole number from 0", name, *text),
                     fmt::format("set {} to one, or unset it to start ranks on this machine", name));
  }
  return static_cast<int>(value);
}

int Require(const Environment& environment, const std::string& name, const std::string& because) {
  const auto value = ReadNumber(environment, name);
  if (value) return *value;
  throw UsageError(fmt::format("{} is set, but {} is not", because, name),
                   fmt::format("set both, as torchrun, mpirun and srun do, or unset {}", because));
}

/// The names of one launcher's variables.
struct Names {
  std::string rank;
  std::string world_size;
  std::string local_rank;
  std::string local_world_size;
};

void CheckBelow(int value, const std::string& name, int limit, const std::string& limit_name) {
  if (value < limit) return;
  throw UsageError(fmt::format("{}={} is not below {}={}", name, value, limit_name, limit),
                   fmt::format("count {} from 0 to {} - 1", name, limit_name));
}

/// The part that all launchers share: four numbers that must fit together, and a master.
LaunchedRank ReadRank(const Environment& environment, const Names& names) {
  LaunchedRank result;
  result.rank = Require(environment, names.rank, names.world_size);
  result.world_size = Require(environment, names.world_size, names.rank);
  if (result.world_size == 0) {
    throw UsageError(fmt::format("{}=0: a job has at least one rank", names.world_size),
                     fmt::format("set {} to the number of ranks", names.world_size));
  }
  CheckBelow(result.rank, names.rank, result.world_size, names.world_size);
  result.local_world_size = ReadNumber(environment, names.local_world_size);
  if (result.local_world_size &&
      (*result.local_world_size == 0 || *result.local_world_size > result.world_size)) {
    throw UsageError(fmt::format("{}={} does not fit {}={}", names.local_world_size, *result.local_world_size,
                                 names.world_size, result.world_size),
                     fmt::format("set {} to the ranks of this machine", names.local_world_size));
  }
  // Without it, as in a Kubernetes job, there is one rank per pod.
  result.local_rank = ReadNumber(environment, names.local_rank).value_or(0);
  CheckBelow(result.local_rank, names.local_rank, result.world_size, names.world_size);
  if (result.local_world_size) {
    CheckBelow(result.local_rank, names.local_rank, *result.local_world_size, names.local_world_size);
  }
  result.master_addr = environment("MASTER_ADDR");
  result.master_port = ReadNumber(environment, "MASTER_PORT");
  if (result.master_port) CheckBelow(*result.master_port, "MASTER_PORT", 65536, "the number of ports");
  return result;
}

std::string ValueOf(const Environment& environment, const std::string& name) {
  return environment(name).value_or("");
}

LaunchedRank ReadTorchrun(const Environment& environment) {
  LaunchedRank result = ReadRank(environment, {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"});
  result.node_rank = ReadNumber(environment, "GROUP_RANK");
  const auto run_id = environment("TORCHELASTIC_RUN_ID");
  result.launcher = run_id ? "torchrun" : "RANK and WORLD_SIZE";
  // torchrun's run id is "none" unless --rdzv-id was given: the port tells two jobs apart.
  result.job_id = fmt::format("{}-{}", run_id.value_or(result.master_addr.value_or("")),
                              ValueOf(environment, "MASTER_PORT"));
  result.agent_store = environment("TORCHELASTIC_USE_AGENT_STORE") == "True";
  return result;
}

LaunchedRank ReadMpirun(const Environment& environment) {
  LaunchedRank result = ReadRank(environment, {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                                               "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"});
  // OMPI_COMM_WORLD_NODE_RANK counts processes within a machine, so the machine's own number is unknown.
  result.launcher = "mpirun";
  result.job_id = environment("PMIX_NAMESPACE").value_or(ValueOf(environment, "OMPI_MCA_ess_base_jobid"));
  return result;
}

/// Batch scripts and interactive shells have SLURM_PROCID=0 too, and no siblings. Their steps, where they
/// have one, are numbered from the top of the 32-bit range.
bool IsSlurmStep(const Environment& environment) {
  constexpr std::int64_t kFirstSpecialStep = 0xfffffff0;
  if (!environment("SLURM_PROCID")) return false;
  const std::string step = ValueOf(environment, "SLURM_STEP_ID");
  std::int64_t number = -1;
  std::from_chars(step.data(), step.data() + step.size(), number);
  if (number < 0 || number >= kFirstSpecialStep) return false;
  const auto tasks = ReadNumber(environment, "SLURM_NTASKS");
  return tasks && *tasks != 1;
}

LaunchedRank ReadSrun(const Environment& environment) {
  LaunchedRank result = ReadRank(environment, {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", ""});
  result.launcher = "srun";
  result.node_rank = ReadNumber(environment, "SLURM_NODEID");
  if (const auto tasks = environment("SLURM_STEP_TASKS_PER_NODE")) {
    const std::vector<int> per_node = ParseSlurmTasksPerNode(*tasks);
    const auto node = static_cast<std::size_t>(result.node_rank.value_or(0));
    if (node < per_node.size()) result.local_world_size = per_node[node];
  }
  // The step's own nodes first: rank 0 need not be on the first node of the whole job.
  for (const char* name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"}) {
    const auto nodes = environment(name);
    if (nodes && !result.master_addr) result.master_addr = ParseSlurmNodeList(*nodes).front();
  }
  result.job_id =
      fmt::format("{}.{}", ValueOf(environment, "SLURM_JOB_ID"), ValueOf(environment, "SLURM_STEP_ID"));
  return result;
}

}  // namespace

std::optional<LaunchedRank> ReadLaunchEnvironment(const Environment& environment) {
  if (environment("RANK") || environment("WORLD_SIZE")) return ReadTorchrun(environment);
  if (environment("OMPI_COMM_WORLD_RANK") || environment("OMPI_COMM_WORLD_SIZE")) {
    return ReadMpirun(environment);
  }
  if (IsSlurmStep(environment)) return ReadSrun(environment);
  return std::nullopt;
}

}  // namespace stallscope
