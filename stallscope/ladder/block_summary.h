#pragma once

#include <optional>
#include <vector>

#include "stallscope/document/profile.h"
#include "stallscope/engine/block.h"
#include "stallscope/ladder/condition.h"

namespace stallscope {

/// What a block says about its condition.
struct BlockSummary {
  double step_time_s = 0;  ///< mean over ranks of their mean step; synchronised ranks agree but for rounding
  StepParts parts;
  std::optional<CommunicationInfo> communication;
  std::vector<BucketInfo> buckets;        ///< empty without sync, or where the ranks' buckets do not match
  std::optional<ResourceInfo> resources;  ///< only where samples were taken
  int steps = 0;                          ///< counted, per rank
  std::optional<std::string> cache;       ///< what its files were verified to be
};

/// Leaves out each rank's first `skip` steps. `one_host`: the ranks of all nodes reduce together in
/// `node` as well. `cores_per_machine` turns CPU time into a share of the machine. Throws Error where a rank
/// that takes part reports fewer steps than were asked for.
BlockSummary Summarise(const BlockResult& block, int skip, bool one_host,
                       std::optional<int> cores_per_machine = std::nullopt);

/// Transfer and skew of one step, one list of buckets per rank in the same order.
///
/// The minimum over ranks of a bucket's (end - begin) is its transfer: the last rank to arrive waits
/// for nobody. On each rank the union of the intervals [begin, end] is the time spent
/// communicating, the union of [end - transfer, end] the part of it that moved data, and the rest is
/// skew. What lies before the rank's last bucket was ready overlaps its backward pass.
/// Nothing where the ranks' buckets do not match.
std::optional<CommunicationInfo> CommunicationOfStep(
    const std::vector<const std::vector<BucketTimes>*>& ranks);

}  // namespace stallscope
