#include "stallscope/input/worker_search.h"

#include <algorithm>

namespace stallscope {

WorkerChoice FindWorkers(int most, Seconds step_time, const std::function<double(int)>& wait_of) {
  WorkerChoice choice;
  const auto hides = [&](int workers) {
    const double wait_s = wait_of(workers);
    choice.trials.push_back({workers, wait_s});
    return wait_s <= kHiddenWait * step_time.count();
  };
  int too_few = 0;
  int workers = 1;
  while (!hides(workers)) {
    if (workers >= most) return choice;
    too_few = workers;
    workers = std::min(most, workers * 2);
  }
  while (workers - too_few > 1) {
    const int middle = (too_few + workers) / 2;
    (hides(middle) ? workers : too_few) = middle;
  }
  choice.workers = workers;
  return choice;
}

}  // namespace stallscope
