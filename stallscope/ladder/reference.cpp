#include "stallscope/ladder/reference.h"

#include <fmt/format.h>

#include "stallscope/base/error.h"
#include "stallscope/ladder/condition.h"
#include "stallscope/stats/independent.h"

namespace stallscope {
namespace {

constexpr const char* kSameWorkload = "measure the reference with the same flags, on one machine";

Layout LayoutOf(const ClusterInfo& cluster) {
  return {.nodes = cluster.nodes, .devices_per_node = cluster.devices_per_node, .emulated = cluster.emulated};
}

void RequireSame(const char* what, const std::string& mine, const std::string& other,
                 const std::string& file) {
  if (mine == other) return;
  throw UsageError(
      fmt::format("{} cannot be the reference: its {} is {}, and here it is {}", file, what, other, mine),
      kSameWorkload);
}

void RequireSame(const char* what, const std::optional<std::int64_t>& mine,
                 const std::optional<std::int64_t>& other, const std::string& file) {
  const auto text = [](const auto& value) { return value ? std::to_string(*value) : "unknown"; };
  RequireSame(what, text(mine), text(other), file);
}

void RequireSameWorkload(const WorkloadInfo& mine, const WorkloadInfo& other, const std::string& file) {
  RequireSame("model", mine.model, other.model, file);
  RequireSame("batch per device", mine.batch_per_device, other.batch_per_device, file);
  RequireSame("accumulation", mine.accumulate, other.accumulate, file);
  RequireSame("number format", mine.dtype, other.dtype, file);
  // Without these a model's name does not say how much it computes.
  RequireSame("image size", mine.image_size, other.image_size, file);
  RequireSame("sequence length", mine.sequence_length, other.sequence_length, file);
}

}  // namespace

ReferenceInfo ReferenceNetworkStall(const Profile& mine, const Profile& other, const std::string& file) {
  const auto cluster = mine.conditions.find("cluster");
  if (cluster == mine.conditions.end()) {
    throw UsageError("--reference needs the rung cluster, which this profile does not have",
                     "measure on two machines or more, or with --emulate nodes=2");
  }
  const auto node = other.conditions.find("node");
  if (node == other.conditions.end()) {
    throw UsageError(fmt::format("{} cannot be the reference: it does not have the rung node", file),
                     "give a profile of one machine that holds as many devices as the cluster");
  }
  const int devices = DevicesOf(Condition::kCluster, LayoutOf(mine.cluster));
  const int reference_devices = DevicesOf(Condition::kNode, LayoutOf(other.cluster));
  if (devices != reference_devices) {
    throw UsageError(fmt::format("{} cannot be the reference: its node has {} device{}, and this cluster {}",
                                 file, reference_devices, reference_devices == 1 ? "" : "s", devices),
                     fmt::format("give a profile of one machine with {} devices", devices));
  }
  RequireSameWorkload(mine.workload, other.workload, file);
  const Estimate& step = cluster->second.step_time_s;
  const Estimate seconds = DifferenceOf(step, node->second.step_time_s);
  return {.file = file,
          .node_step_time_s = node->second.step_time_s,
          .network = {.seconds = seconds,
                      .share = ScaledDown(seconds, step.mean),
                      .distinguishable = !seconds.HoldsZero()}};
}

}  // namespace stallscope
