#include "stallscope/engine/collective.h"

#include <nlohmann/json.hpp>

namespace stallscope {

// Both ends are built from one tree, so the plain enumerator values travel.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CollectiveBlock, kind, bytes, repeats, warm_bytes, warm_repeats)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CollectiveRequest, group, blocks)

namespace {

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

nlohmann::json ToJson(const CollectiveRequest& request) {
  return request;
}

CollectiveRequest CollectiveRequestFromJson(const nlohmann::json& json) {
  return json.get<CollectiveRequest>();
}

}  // namespace stallscope
