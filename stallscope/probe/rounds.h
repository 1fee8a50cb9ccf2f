#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stallscope/base/units.h"

namespace stallscope {

/// Something short to measure; `round` counts from 0.
struct ProbeTask {
  std::string name;  ///< of the quantity
  std::function<double(int round)> measure;
};

/// One value per task and complete round.
struct ProbeRounds {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;  ///< as `names`, each in order of time
  std::vector<double> times_s;              ///< when each round began, since the first
  std::string stopped_by;                   ///< "max-time" or "interrupt"

  std::size_t count() const { return times_s.size(); }
  /// Throws std::out_of_range for a name that was not measured.
  const std::vector<double>& Of(const std::string& name) const;
};

struct RoundOptions {
  Seconds max_time{60};
  /// Fewer have no interval worth the name; these are measured whatever max_time says.
  int fewest = 3;
  std::uint64_t seed = 0;
};

/// Every task once in each round, in random order, so that each quantity is spread over the whole time and a
/// drift hits all alike. It stops before a round that would probably end too late. `keep_going(round, task)`
/// is asked before every task: false ends it, and the round that was begun is dropped.
ProbeRounds RunRounds(const std::vector<ProbeTask>& tasks, const RoundOptions& options,
                      const std::function<bool(int round, const std::string& task)>& keep_going);

}  // namespace stallscope
