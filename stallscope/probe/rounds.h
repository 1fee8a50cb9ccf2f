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
  std::vector<std::vector<bool>> calm;      ///< as `values`: whether others let the processors alone
  std::vector<double> times_s;              ///< when each round began, since the first
  int disturbed = 0;                        ///< of the values: others took processor time meanwhile
  std::string stopped_by;                   ///< "max-time" or "interrupt"

  std::size_t count() const { return times_s.size(); }
  /// Throws std::out_of_range for a name that was not measured.
  const std::vector<double>& Of(const std::string& name) const;
  /// What the machine does when others let it alone: without the values that stayed disturbed, where at least
  /// kFewestCalm others are left; all of them on a machine that hardly is alone.
  std::vector<double> CalmOf(const std::string& name) const;
  /// More rounds of the same tasks, the first of which began `at_s` after the first of these.
  void Append(const ProbeRounds& more, double at_s);

 private:
  std::size_t PlaceOf(const std::string& name) const;
};

/// Fewer values have no interval worth the name.
inline constexpr std::size_t kFewestCalm = 3;

/// Watches the processors of this machine.
std::function<double()> WatchOthers();

struct RoundOptions {
  Seconds max_time{60};
  /// These are measured whatever max_time says: fewer have no interval worth the name.
  int fewest = 3;
  int first_round = 0;  ///< what the first round is called
  std::uint64_t seed = 0;
  /// Called before a task; what it returns is called after it, and says how much others disturbed it, in
  /// units of what can be borne (DisturbanceOf).
  std::function<std::function<double()>()> watch = WatchOthers;
};

/// Every task once in each round, in random order, so that each quantity is spread over the whole time and a
/// drift hits all alike. What others disturbed is measured again at the end of its round, and the least
/// disturbed value counts. It stops before a round that would probably end too late. `keep_going(round,
/// task)` is asked before every task: false ends it, and the round that was begun is dropped.
ProbeRounds RunRounds(const std::vector<ProbeTask>& tasks, const RoundOptions& options,
                      const std::function<bool(int round, const std::string& task)>& keep_going);

}  // namespace stallscope
