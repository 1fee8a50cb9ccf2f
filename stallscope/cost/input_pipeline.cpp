#include "stallscope/cost/input_pipeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "stallscope/base/error.h"

namespace stallscope::cost {
namespace {

/// Times of the last batches, by number; older ones are overwritten.
class Recent {
 public:
  double& operator[](long batch) { return times_[static_cast<unsigned long>(batch) % times_.size()]; }

 private:
  std::array<double, 2 * kMostBatchesInFlight> times_{};
};

void Check(const InputStages& input) {
  if (input.workers < 1 || input.queue < 1) {
    throw Error(fmt::format("{} workers and a queue of {} cannot feed a device", input.workers, input.queue),
                "take 1 or more of both");
  }
  if (input.workers > kMostBatchesInFlight - input.queue) {
    throw Error(fmt::format("{} workers and a queue of {} are more batches than can be followed",
                            input.workers, input.queue),
                fmt::format("take {} or fewer together", kMostBatchesInFlight));
  }
}

}  // namespace

Seconds SteadyStep(Seconds step, const InputStages& input) {
  Check(input);
  const long in_flight = input.workers + input.queue;
  // Long enough to fill every place, and then as many whole turns of the workers as make a mean.
  const long warm = 4 * in_flight;
  const long last = warm + 8L * input.workers;
  Recent prepared;
  Recent started;
  double fetched = 0;
  double copied = 0;
  double ended = 0;
  double ended_warm = 0;
  for (long batch = 0; batch < last; ++batch) {
    // A worker takes its next batch when it has handed the last one over and the queue has a place.
    double begin = batch >= input.workers ? prepared[batch - input.workers] : 0;
    if (batch >= in_flight) begin = std::max(begin, started[batch - in_flight]);
    fetched = std::max(begin, fetched) + input.fetch.count();
    prepared[batch] = fetched + input.prepare.count();
    // Batches are delivered in order.
    if (batch > 0) prepared[batch] = std::max(prepared[batch], prepared[batch - 1]);
    if (input.copy_beside_compute) {
      copied = std::max(prepared[batch], copied) + input.copy.count();
    } else {
      copied = std::max(prepared[batch], ended) + input.copy.count();
    }
    started[batch] = std::max(copied, ended);
    ended = started[batch] + step.count();
    if (batch + 1 == warm) ended_warm = ended;
  }
  return Seconds((ended - ended_warm) / static_cast<double>(last - warm));
}

}  // namespace stallscope::cost
