#include "stallscope/probe/rounds.h"

#include <algorithm>
#include <stdexcept>

#include "stallscope/base/clock.h"
#include "stallscope/stats/random.h"

namespace stallscope {

const std::vector<double>& ProbeRounds::Of(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw std::out_of_range("no task is called " + name);
  return values[static_cast<std::size_t>(found - names.begin())];
}

ProbeRounds RunRounds(const std::vector<ProbeTask>& tasks, const RoundOptions& options,
                      const std::function<bool(int round, const std::string& task)>& keep_going) {
  ProbeRounds rounds;
  for (const ProbeTask& task : tasks) rounds.names.push_back(task.name);
  rounds.values.resize(tasks.size());
  rounds.stopped_by = "max-time";
  Random random(options.seed);
  std::vector<std::size_t> order(tasks.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const double begin = MonotonicSeconds();
  double longest = 0;
  for (int round = 0;; ++round) {
    const double round_begin = MonotonicSeconds() - begin;
    if (round >= options.fewest && round_begin + longest > options.max_time.count()) return rounds;
    random.Shuffle(order);
    std::vector<double> values(tasks.size());
    for (const std::size_t task : order) {
      if (!keep_going(round, tasks[task].name)) {
        rounds.stopped_by = "interrupt";
        return rounds;
      }
      values[task] = tasks[task].measure(round);
    }
    for (std::size_t i = 0; i < values.size(); ++i) rounds.values[i].push_back(values[i]);
    rounds.times_s.push_back(round_begin);
    longest = std::max(longest, MonotonicSeconds() - begin - round_begin);
  }
}

}  // namespace stallscope
