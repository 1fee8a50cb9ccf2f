#pragma once

#include <optional>
#include <vector>

#include "stallscope/ladder/block_summary.h"

namespace stallscope {

/// The means over the blocks of one condition, one of each used round, as the document has them.

/// Over the blocks that have buckets; empty where their numbers of buckets differ.
std::vector<BucketInfo> BucketsOverRounds(const std::vector<const BlockSummary*>& blocks);

/// Every number over the blocks that have it.
std::optional<ResourceInfo> ResourcesOverRounds(const std::vector<const BlockSummary*>& blocks);

}  // namespace stallscope
