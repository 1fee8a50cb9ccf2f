#include "stallscope/engine/collective.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "stallscope/engine/record_json.h"

namespace stallscope {

template <FieldsOf<CollectiveBlock> Record, typename Visit>
void VisitFields(Record& block, Visit visit) {
  visit("kind", block.kind);
  visit("bytes", block.bytes);
  visit("repeats", block.repeats);
  visit("warm_bytes", block.warm_bytes);
  visit("warm_repeats", block.warm_repeats);
}

template <FieldsOf<CollectiveRequest> Record, typename Visit>
void VisitFields(Record& request, Visit visit) {
  visit("group", request.group);
  visit("blocks", request.blocks);
}

template <FieldsOf<LoadSpan> Record, typename Visit>
void VisitFields(Record& load, Visit visit) {
  visit("wall_s", load.wall_s);
  visit("own_s", load.own_s);
  visit("machine_s", load.machine_s);
  visit("steal_s", load.steal_s);
}

template <FieldsOf<CollectiveReport> Record, typename Visit>
void VisitFields(Record& report, Visit visit) {
  visit("times", report.times);
  visit("loads", report.loads);
  visit("machine", report.machine);
  visit("cores", report.cores);
}

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
  return RecordToJson(request);
}

CollectiveRequest CollectiveRequestFromJson(const nlohmann::json& json) {
  return RecordFromJson<CollectiveRequest>(json);
}

nlohmann::json ToJson(const CollectiveReport& report) {
  return RecordToJson(report);
}

CollectiveReport CollectiveReportFromJson(const nlohmann::json& json) {
  return RecordFromJson<CollectiveReport>(json);
}

}  // namespace stallscope
