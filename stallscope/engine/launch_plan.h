#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stallscope/base/units.h"
#include "stallscope/engine/messages.h"
#include "stallscope/supervise/launch_environment.h"

namespace stallscope {

/// What the user asked for with --nproc-per-node and its sisters.
struct LaunchRequest {
  std::optional<int> nproc_per_node;
  std::optional<int> nnodes;
  std::optional<int> node_rank;
  std::optional<std::string> master_addr;
  std::optional<int> master_port;
};

/// As torchrun's.
constexpr int kDefaultMasterPort = 29500;

/// Which ranks this command starts, and where they meet the others.
struct LaunchPlan {
  int nodes = 1;
  int devices_per_node = 1;
  int node = 0;
  std::vector<int> local_ranks = {0};  ///< devices of this machine whose ranks this command starts
  std::string launcher;                ///< "mpirun", ...; empty where the user typed the command
  MeetingConfig::Kind meeting = MeetingConfig::Kind::kFile;
  std::string master_addr;
  int master_port = 0;
  std::string job_id;
  /// The launcher says how many ranks there are, but not how many of them on this machine: the ranks tell
  /// each other when they meet. Until then, `nodes` and `devices_per_node` are not known.
  bool places_unknown = false;
  int rank = 0;  ///< of the first one that this command starts
  int world_size = 1;
  bool emulated = false;

  bool Leads() const { return rank == 0; }
};

/// Throws UsageError where flags and the launcher's variables cannot be meant together.
LaunchPlan PlanLaunch(const LaunchRequest& request, const std::optional<LaunchedRank>& launched,
                      int default_devices);

/// One command starts all ranks, on machines that it makes out of this one.
LaunchPlan PlanEmulated(int nodes, int devices_per_node);

/// Completes a plan whose places were unknown from what every rank said: an identity of its machine.
/// Ranks must be numbered machine by machine, as many on each.
void SettlePlaces(LaunchPlan& plan, const std::vector<std::string>& machine_of_rank);

}  // namespace stallscope
