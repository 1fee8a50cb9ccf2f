#pragma once

#include <cstddef>
#include <vector>

#include "stallscope/document/profile.h"
#include "stallscope/engine/block.h"

namespace stallscope {

/// The mean of each bucket over lists of the same buckets, each list weighing alike; empty where the lists
/// differ in length, because then the k-th bucket of one is not the k-th of another.
std::vector<BucketInfo> MeanOfBuckets(const std::vector<std::vector<BucketInfo>>& lists);

/// The means over ranks and over their steps from `first_step` on. The exposed part of a bucket is what lies
/// of [begin, end] after the rank's last bucket of that step was ready. Buckets on their way at the same time
/// are exposed each by itself, so that their sum may be more than the step's exposed time.
std::vector<BucketInfo> BucketsOf(const std::vector<const RankBlock*>& ranks, std::size_t first_step);

}  // namespace stallscope
