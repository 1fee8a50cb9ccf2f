#pragma once

#include "stallscope/engine/collective.h"
#include "stallscope/engine/torch/team.h"

namespace stallscope {

/// A rank that measures collectives instead of training, over the connections of its team.
class CollectiveRank {
 public:
  explicit CollectiveRank(Team& team) : team_(team) {}

  CollectiveReport Run(const CollectiveRequest& request);

 private:
  double RunBlock(const CollectiveBlock& block, c10d::ProcessGroup& group);
  void AllReduce(c10d::ProcessGroup& group, std::int64_t bytes, int repeats);
  /// Half a round trip, on the group's first rank; elsewhere 0.
  double Ping(c10d::ProcessGroup& group, std::int64_t bytes, int repeats);
  /// Seconds per message, on the group's second rank; elsewhere 0.
  double Stream(c10d::ProcessGroup& group, std::int64_t bytes, int repeats);
  /// Zeros, which no number of sums changes.
  at::Tensor Message(std::int64_t bytes);

  Team& team_;
  at::Tensor memory_;
};

}  // namespace stallscope
