#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "stallscope/base/units.h"

namespace stallscope {

/// A step that waits no more than this share of its time is taken for one whose data was hidden.
constexpr double kHiddenWait = 0.05;

struct WorkerTrial {
  int workers = 0;
  double wait_s = 0;  ///< mean wait of a step for its batch
};

struct WorkerChoice {
  std::optional<int> workers;       ///< the fewest that hide preparation; nothing where `most` do not
  std::vector<WorkerTrial> trials;  ///< in the order in which they were tried
};

/// Finds the fewest workers whose steps do not wait, by trying: 1, 2, 4, ... up to `most`, then between the
/// last that failed and the first that did not. More workers are taken to wait no longer.
WorkerChoice FindWorkers(int most, Seconds step_time, const std::function<double(int)>& wait_of);

}  // namespace stallscope
