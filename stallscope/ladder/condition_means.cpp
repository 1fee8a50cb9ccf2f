#include "stallscope/ladder/condition_means.h"

#include "stallscope/ladder/bucket_means.h"
#include "stallscope/ladder/resource_summary.h"

namespace stallscope {

std::vector<BucketInfo> BucketsOverRounds(const std::vector<const BlockSummary*>& blocks) {
  std::vector<std::vector<BucketInfo>> lists;
  for (const BlockSummary* block : blocks) {
    if (!block->buckets.empty()) lists.push_back(block->buckets);
  }
  return MeanOfBuckets(lists);
}

std::optional<ResourceInfo> ResourcesOverRounds(const std::vector<const BlockSummary*>& blocks) {
  std::vector<ResourceInfo> infos;
  for (const BlockSummary* block : blocks) {
    if (block->resources) infos.push_back(*block->resources);
  }
  return MeanOfResources(infos);
}

}  // namespace stallscope
