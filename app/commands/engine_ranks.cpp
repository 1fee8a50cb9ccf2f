#include "app/commands/engine_ranks.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "stallscope/base/error.h"
#include "stallscope/supervise/cpu_sets.h"
#include "stallscope/supervise/network_lab.h"

namespace stallscope {
namespace {

/// Building a large network takes time, and other machines are started by hand.
constexpr Seconds kUntilReady{900};

/// The cores of one rank. A launcher that pins its ranks has left us only our own already.
std::vector<int> CoresOf(int place, int places) {
  return DivideCpus(AllowedCpus(), places).sets.at(static_cast<std::size_t>(place));
}

}  // namespace

std::vector<EngineConfig> PlacedRanks(const LaunchPlan& plan, const JobMeeting& meeting,
                                      const std::string& interface) {
  std::vector<EngineConfig> configs;
  for (const int local_rank : plan.local_ranks) {
    EngineConfig config;
    config.rank = plan.node * plan.devices_per_node + local_rank;
    config.world_size = plan.world_size;
    config.local_rank = local_rank;
    config.node = plan.node;
    config.address = meeting.address();
    if (plan.emulated) {
      config.node = local_rank / plan.devices_per_node;
      config.local_rank = local_rank % plan.devices_per_node;
      config.address = NetworkLab::Address(config.node);
      config.node_address = NetworkLab::Address(config.node, LabLink::kInner);
    }
    config.nodes = plan.nodes;
    config.devices_per_node = plan.devices_per_node;
    config.meeting = meeting.config();
    config.interface = interface;
    if (meeting.watch() != nullptr) config.watch_offer = meeting.watch()->offer();
    config.watched = meeting.watch() != nullptr;
    configs.push_back(std::move(config));
  }
  return configs;
}

RankStart StartOfRank(const EngineConfig& config, const LaunchPlan& plan, const std::filesystem::path& engine,
                      const std::filesystem::path& log_folder) {
  RankStart start = EngineRank(engine, config);
  start.child.cpus = plan.emulated ? CoresOf(config.rank, plan.world_size)
                                   : CoresOf(config.local_rank, plan.devices_per_node);
  start.child.log_file = log_folder / fmt::format("rank{}.log", config.rank);
  // A log of an earlier run in the same folder would explain the wrong failure.
  std::filesystem::remove(start.child.log_file);
  return start;
}

nlohmann::json WaitForRanks(RankTeam& team, const JobMeeting& meeting) {
  if (meeting.watch() != nullptr) team.WatchOthers(*meeting.watch());
  try {
    nlohmann::json workload = team.WaitUntilReady(kUntilReady);
    if (meeting.watch() != nullptr) meeting.watch()->SayReady();
    return workload;
  } catch (const Error& e) {
    meeting.Abort(e.what());
    throw;
  }
}

void EndRanks(RankTeam& team, const MeasureResult& measured, int exit_code) {
  if (measured.error) {
    team.Kill();
  } else if (!measured.overdue.empty()) {
    team.StopWithinBlock(exit_code);
  } else {
    team.Stop(exit_code);
  }
}

}  // namespace stallscope
