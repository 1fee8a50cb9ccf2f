#include "stallscope/ladder/bucket_means.h"

#include <algorithm>
#include <cmath>

#include "stallscope/stats/mean.h"

namespace stallscope {
namespace {

std::vector<BucketInfo> BucketsOfStep(const std::vector<BucketTimes>& buckets) {
  double computed_s = 0;
  for (const BucketTimes& bucket : buckets) computed_s = std::max(computed_s, bucket.ready_s);
  std::vector<BucketInfo> infos;
  infos.reserve(buckets.size());
  for (const BucketTimes& bucket : buckets) {
    const double exposed_s = bucket.end_s - std::max(bucket.begin_s, computed_s);
    infos.push_back({.bytes = bucket.bytes,
                     .ready_s = bucket.ready_s,
                     .begin_s = bucket.begin_s,
                     .end_s = bucket.end_s,
                     .exposed_s = std::max(0.0, exposed_s)});
  }
  return infos;
}

}  // namespace

std::vector<BucketInfo> MeanOfBuckets(const std::vector<std::vector<BucketInfo>>& lists) {
  if (lists.empty()) return {};
  const std::size_t count = lists.front().size();
  for (const auto& list : lists) {
    if (list.size() != count) return {};
  }
  std::vector<BucketInfo> means(count);
  std::vector<double> values(lists.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto mean = [&](auto BucketInfo::*field) {
      for (std::size_t j = 0; j < lists.size(); ++j) values[j] = static_cast<double>(lists[j][i].*field);
      return MeanOf(values);
    };
    means[i] = {.bytes = std::llround(mean(&BucketInfo::bytes)),
                .ready_s = mean(&BucketInfo::ready_s),
                .begin_s = mean(&BucketInfo::begin_s),
                .end_s = mean(&BucketInfo::end_s),
                .exposed_s = mean(&BucketInfo::exposed_s)};
  }
  return means;
}

std::vector<BucketInfo> BucketsOf(const std::vector<const RankBlock*>& ranks, std::size_t first_step) {
  std::vector<std::vector<BucketInfo>> lists;
  for (const RankBlock* rank : ranks) {
    for (std::size_t step = first_step; step < rank->steps.size(); ++step) {
      lists.push_back(BucketsOfStep(rank->steps[step].buckets));
    }
  }
  return MeanOfBuckets(lists);
}

}  // namespace stallscope
