#include "stallscope/engine/collective.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace stallscope {

// Both ends are built from one tree, so the plain enumerator values travel.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CollectiveBlock, kind, bytes, repeats, warm_bytes, warm_repeats)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CollectiveRequest, group, blocks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LoadSpan, wall_s, own_s, machine_s, steal_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CollectiveReport, times, loads, machine, cores)

namespace {

/// Of one core: a block is short, and what others take from it weighs more than in a block of training.
constexpr double kBearableShare = 0.05;

CollectiveGroup Evenly(int count, int distance, int nodes) {
  CollectiveGroup group{.ranks = {}, .nodes = nodes};
  for (int i = 0; i < count; ++i) group.ranks.push_back(i * distance);
  return group;
}

}  // namespace

std::vector<CollectiveGroup> CollectiveGroups(int nodes, int devices_per_node) {
  std::vector<CollectiveGroup> groups;
  for (int count = 2; count <= devices_per_node; ++count) {
    const bool power_of_two = (count & (count - 1)) == 0;
    if (devices_per_node > kEveryCount && !power_of_two && count != devices_per_node) continue;
    groups.push_back(Evenly(count, 1, 1));
  }
  if (nodes > 1) {
    groups.push_back(Evenly(nodes, devices_per_node, nodes));
    if (devices_per_node > 1) groups.push_back(Evenly(nodes * devices_per_node, 1, nodes));
  }
  return groups;
}

double DisturbanceOf(const std::vector<CollectiveReport>& of_ranks, std::size_t block) {
  struct Machine {
    LoadSpan load;  ///< as the rank that worked longest saw it, with all ranks' own time
    int cores = 1;
  };
  std::map<std::string, Machine> machines;
  for (const CollectiveReport& report : of_ranks) {
    if (block >= report.loads.size()) continue;  // it waits
    const LoadSpan& seen = report.loads[block];
    Machine& machine = machines[report.machine];
    const double own_s = machine.load.own_s + seen.own_s;
    if (seen.wall_s > machine.load.wall_s) machine = {.load = seen, .cores = report.cores};
    machine.load.own_s = own_s;
  }
  double worst = 0;
  for (const auto& [name, machine] : machines)
    worst = std::max(worst, DisturbanceOf(machine.load, machine.cores, kBearableShare));
  return worst;
}

nlohmann::json ToJson(const CollectiveRequest& request) {
  return request;
}

CollectiveRequest CollectiveRequestFromJson(const nlohmann::json& json) {
  return json.get<CollectiveRequest>();
}

nlohmann::json ToJson(const CollectiveReport& report) {
  return report;
}

CollectiveReport CollectiveReportFromJson(const nlohmann::json& json) {
  return json.get<CollectiveReport>();
}

}  // namespace stallscope
