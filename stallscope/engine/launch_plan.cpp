#include "stallscope/engine/launch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

constexpr int kMostRanks = 4096;

void CheckCount(const std::optional<int>& count, const char* flag) {
  if (count && (*count < 1 || *count > kMostRanks)) {
    throw UsageError(fmt::format("{} {} is no number of machines or ranks", flag, *count),
                     fmt::format("give {} a number from 1 to {}", flag, kMostRanks));
  }
}

void CheckPort(const std::optional<int>& port) {
  if (port && (*port < 1 || *port > 65535)) {
    throw UsageError(fmt::format("--master-port {} is no port", *port), "give a port from 1 to 65535");
  }
}

std::vector<int> FirstNumbers(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

LaunchPlan PlanOwn(const LaunchRequest& request, int default_devices) {
  LaunchPlan plan;
  plan.nodes = request.nnodes.value_or(1);
  plan.devices_per_node = request.nproc_per_node.value_or(default_devices);
  plan.world_size = plan.nodes * plan.devices_per_node;
  plan.local_ranks = FirstNumbers(plan.devices_per_node);
  if (plan.nodes == 1) {
    if (request.node_rank.value_or(0) != 0) {
      throw UsageError(
          fmt::format("--node-rank {} is out of range: there is one machine", *request.node_rank),
          "give --nnodes as well, or leave --node-rank out");
    }
    return plan;
  }
  if (!request.node_rank || !request.master_addr) {
    throw UsageError("--nnodes needs --node-rank and --master-addr",
                     "run the same command on every machine, with --node-rank 0, 1, ... and the address of "
                     "the machine with --node-rank 0");
  }
  if (*request.node_rank < 0 || *request.node_rank >= plan.nodes) {
    throw UsageError(
        fmt::format("--node-rank {} is out of range for --nnodes {}", *request.node_rank, plan.nodes),
        fmt::format("give --node-rank 0 to {}", plan.nodes - 1));
  }
  plan.node = *request.node_rank;
  plan.rank = plan.node * plan.devices_per_node;
  plan.meeting = MeetingConfig::Kind::kTcp;
  plan.master_addr = *request.master_addr;
  plan.master_port = request.master_port.value_or(kDefaultMasterPort);
  return plan;
}

void ChooseMeeting(LaunchPlan& plan, const LaunchRequest& request, const LaunchedRank& launched) {
  if (launched.agent_store && !request.master_addr) {
    plan.meeting = MeetingConfig::Kind::kAgent;
  } else if (request.master_addr || launched.master_addr) {
    plan.meeting = MeetingConfig::Kind::kTcp;
  } else if (plan.nodes == 1 && !plan.places_unknown && !launched.job_id.empty()) {
    plan.meeting = MeetingConfig::Kind::kFile;
    return;
  } else {
    throw UsageError(fmt::format("{} started ranks on several machines, and nobody says where they meet",
                                 launched.launcher),
                     "give --master-addr (an address of rank 0's machine) and --master-port");
  }
  plan.master_addr = request.master_addr ? *request.master_addr : *launched.master_addr;
  plan.master_port = request.master_port.value_or(launched.master_port.value_or(kDefaultMasterPort));
}

LaunchPlan PlanLaunched(const LaunchRequest& request, const LaunchedRank& launched) {
  for (const auto& [given, flag] : {std::pair{request.nproc_per_node.has_value(), "--nproc-per-node"},
                                    std::pair{request.nnodes.has_value(), "--nnodes"},
                                    std::pair{request.node_rank.has_value(), "--node-rank"}}) {
    if (given) {
      throw UsageError(
          fmt::format("{} does not go with {}, which starts the ranks itself", flag, launched.launcher),
          fmt::format("leave {} out", flag));
    }
  }
  LaunchPlan plan;
  plan.launcher = launched.launcher;
  plan.job_id = launched.job_id;
  plan.rank = launched.rank;
  plan.world_size = launched.world_size;
  plan.local_ranks = {launched.local_rank};
  plan.places_unknown = !launched.local_world_size.has_value() && launched.world_size > 1;
  if (!plan.places_unknown) {
    const int per_node = launched.local_world_size.value_or(1);
    if (launched.world_size % per_node != 0 || launched.rank % per_node != launched.local_rank) {
      throw UsageError(
          fmt::format("rank {} of {} is device {} of {} on its machine: ranks are not numbered machine "
                      "by machine, as many on each",
                      launched.rank, launched.world_size, launched.local_rank, per_node),
          "start as many ranks on every machine, in their order (mpirun --map-by slot, srun "
          "--distribution=block)");
    }
    plan.devices_per_node = per_node;
    plan.nodes = launched.world_size / per_node;
    plan.node = launched.rank / per_node;
  }
  ChooseMeeting(plan, request, launched);
  return plan;
}

}  // namespace

LaunchPlan PlanLaunch(const LaunchRequest& request, const std::optional<LaunchedRank>& launched,
                      int default_devices) {
  CheckCount(request.nproc_per_node, "--nproc-per-node");
  CheckCount(request.nnodes, "--nnodes");
  CheckPort(request.master_port);
  return launched ? PlanLaunched(request, *launched) : PlanOwn(request, default_devices);
}

LaunchPlan PlanEmulated(int nodes, int devices_per_node) {
  LaunchPlan plan;
  plan.nodes = nodes;
  plan.devices_per_node = devices_per_node;
  plan.world_size = nodes * devices_per_node;
  plan.local_ranks.resize(static_cast<std::size_t>(plan.world_size));
  std::iota(plan.local_ranks.begin(), plan.local_ranks.end(), 0);
  plan.emulated = true;
  return plan;
}

void SettlePlaces(LaunchPlan& plan, const std::vector<std::string>& machine_of_rank) {
  const auto per_node =
      static_cast<int>(std::count(machine_of_rank.begin(), machine_of_rank.end(), machine_of_rank[0]));
  bool regular = plan.world_size % per_node == 0 && plan.rank % per_node == plan.local_ranks[0];
  for (std::size_t rank = 0; rank < machine_of_rank.size(); ++rank) {
    const std::size_t first_of_node = rank - rank % static_cast<std::size_t>(per_node);
    regular = regular && machine_of_rank[rank] == machine_of_rank[first_of_node];
  }
  if (!regular) {
    throw UsageError(
        "the ranks are not numbered machine by machine, as many on each, with LOCAL_RANK counting up",
        "set RANK = machine number x ranks per machine + LOCAL_RANK");
  }
  plan.devices_per_node = per_node;
  plan.nodes = plan.world_size / per_node;
  plan.node = plan.rank / per_node;
  plan.places_unknown = false;
}

}  // namespace stallscope
