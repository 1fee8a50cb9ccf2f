#pragma once

#include "stallscope/base/units.h"

namespace stallscope::cost {

/// What a batch passes before a device computes on it. Times are of one batch of one device.
struct InputStages {
  Seconds fetch{};                  ///< from storage, one batch after the other
  Seconds prepare{};                ///< by one worker
  int workers = 1;                  ///< that prepare one batch each, at the same time
  int queue = 2;                    ///< prepared batches that may wait for the device
  Seconds copy{};                   ///< to the device
  bool copy_beside_compute = true;  ///< else the device stands still meanwhile
};

/// The mean time of a step in the long run where the device alone needs `step` per batch: storage, workers, a
/// queue of bounded length, the copy and the device as events over many batches. Nothing is allocated. Throws
/// Error where there is no worker, no place in the queue, or more than kMostBatchesInFlight of both together.
Seconds SteadyStep(Seconds step, const InputStages& input);

inline constexpr int kMostBatchesInFlight = 4096;

}  // namespace stallscope::cost
