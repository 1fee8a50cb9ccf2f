#include "stallscope/probe/rounds.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "stallscope/base/clock.h"
#include "stallscope/machine/foreign_watch.h"
#include "stallscope/stats/random.h"

namespace stallscope {
namespace {

/// Of one core. Tasks are short, and what others take from them weighs more than in a block of training.
constexpr double kBearableShare = 0.05;
constexpr int kTries = 3;

/// One task's best try within a round.
struct TriedValue {
  double value = 0;
  std::optional<double> disturbance;
};

}  // namespace

std::function<double()> WatchOthers() {
  const auto cores = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  return [watch = ForeignWatch(), cores] { return DisturbanceOf(watch.Span(), cores, kBearableShare); };
}

std::size_t ProbeRounds::PlaceOf(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw std::out_of_range("no task is called " + name);
  return static_cast<std::size_t>(found - names.begin());
}

const std::vector<double>& ProbeRounds::Of(const std::string& name) const {
  return values[PlaceOf(name)];
}

std::vector<double> ProbeRounds::CalmOf(const std::string& name) const {
  const std::size_t task = PlaceOf(name);
  std::vector<double> alone;
  for (std::size_t round = 0; round < values[task].size(); ++round) {
    if (calm[task][round]) alone.push_back(values[task][round]);
  }
  return alone.size() >= kFewestCalm ? alone : values[task];
}

void ProbeRounds::Append(const ProbeRounds& more, double at_s) {
  if (names.empty()) names = more.names;
  values.resize(names.size());
  calm.resize(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    values[i].insert(values[i].end(), more.values[i].begin(), more.values[i].end());
    calm[i].insert(calm[i].end(), more.calm[i].begin(), more.calm[i].end());
  }
  for (const double time_s : more.times_s) times_s.push_back(at_s + time_s);
  disturbed += more.disturbed;
  stopped_by = more.stopped_by;
}

ProbeRounds RunRounds(const std::vector<ProbeTask>& tasks, const RoundOptions& options,
                      const std::function<bool(int round, const std::string& task)>& keep_going) {
  ProbeRounds rounds;
  for (const ProbeTask& task : tasks) rounds.names.push_back(task.name);
  rounds.values.resize(tasks.size());
  rounds.calm.resize(tasks.size());
  rounds.stopped_by = "max-time";
  Random random(options.seed + static_cast<std::uint64_t>(options.first_round));
  std::vector<std::size_t> order(tasks.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const double begin = MonotonicSeconds();
  double longest = 0;
  for (int round = 0;; ++round) {
    const double round_begin = MonotonicSeconds() - begin;
    if (round >= options.fewest && round_begin + longest > options.max_time.count()) return rounds;
    random.Shuffle(order);
    std::vector<TriedValue> best(tasks.size());
    std::vector<std::size_t> waiting = order;
    for (int tries = 0; tries < kTries && !waiting.empty(); ++tries) {
      std::vector<std::size_t> again;
      for (const std::size_t task : waiting) {
        if (!keep_going(options.first_round + round, tasks[task].name)) {
          rounds.stopped_by = "interrupt";
          return rounds;
        }
        const std::function<double()> disturbed_by = options.watch();
        const double value = tasks[task].measure(options.first_round + round);
        const double disturbance = disturbed_by();
        if (disturbance > 1) again.push_back(task);
        if (best[task].disturbance && *best[task].disturbance <= disturbance) continue;
        best[task] = {.value = value, .disturbance = disturbance};
      }
      waiting = std::move(again);
    }
    rounds.disturbed += static_cast<int>(waiting.size());
    for (std::size_t i = 0; i < best.size(); ++i) {
      rounds.values[i].push_back(best[i].value);
      rounds.calm[i].push_back(best[i].disturbance <= 1);
    }
    rounds.times_s.push_back(round_begin);
    longest = std::max(longest, MonotonicSeconds() - begin - round_begin);
  }
}

}  // namespace stallscope
