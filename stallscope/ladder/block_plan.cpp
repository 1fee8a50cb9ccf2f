#include "stallscope/ladder/block_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace stallscope {
namespace {

int DivideUp(int number, int by) {
  return (number + by - 1) / by;
}

}  // namespace

BlockPlan PlanBlock(bool real_data, int counted, const std::optional<DataPlan>& data) {
  if (!real_data || !data) return {.steps = counted + kSettleSteps, .skip = kSettleSteps};
  const int accumulate = data->shape.accumulate;
  const int settling = std::max(kSettleSteps, DivideUp(2 * data->workers, accumulate));
  // Whole steps whose batches divide by the workers.
  const int unit = data->workers / std::gcd(data->workers, accumulate);
  return {.steps = settling + DivideUp(counted, unit) * unit, .skip = settling};
}

std::optional<std::string> TooFewSamples(const DataPlan& data, int steps) {
  const std::size_t needed =
      SamplesOfBlock(data.shape, steps, data.workers) * static_cast<std::size_t>(data.shape.ranks);
  if (needed <= data.samples) return std::nullopt;
  return fmt::format("a cold block reads {} different samples, and the data set has {}", needed,
                     data.samples);
}

}  // namespace stallscope
