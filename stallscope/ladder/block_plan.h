#pragma once

#include <cstddef>
#include <optional>

#include "stallscope/engine/data_feed.h"
#include "stallscope/ladder/condition.h"

namespace stallscope {

/// The first step of every block settles caches and clocks after the switch from another condition;
/// it is recorded, but counts in no mean.
inline constexpr int kSettleSteps = 1;

/// The real data of a job.
struct DataPlan {
  int workers = 1;          ///< loader threads of each rank
  FeedShape shape;          ///< as every rank has it, but for its number
  std::size_t samples = 0;  ///< in the data set
};

/// How many steps a block has, and how many of its first count in no mean.
struct BlockPlan {
  int steps = 0;
  int skip = 0;
};

/// A block with `counted` steps. Where its data is real, steps are discarded until every worker has delivered
/// twice, and the counted batches are made up to a multiple of the workers, so that all have done as much.
BlockPlan PlanBlock(bool real_data, int counted, const std::optional<DataPlan>& data);

/// Why a cold block of so many steps cannot be had from so few samples: it would read some file twice, and
/// the second time from memory. Nothing where it can.
std::optional<std::string> TooFewSamples(const DataPlan& data, int steps);

}  // namespace stallscope
