#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/probe_collectives.h"
#include "app/commands/probe_options.h"
#include "app/watched_work.h"
#include "stallscope/base/error.h"
#include "stallscope/document/machine_card.h"
#include "stallscope/machine/cpu_load.h"
#include "stallscope/probe/rounds.h"

namespace stallscope {

/// One command's share of a probe: this machine by itself where the command leads, and the all-reduces
/// between the ranks of all machines.
class ProbeJob {
 public:
  ProbeJob(const ProbeOptions& options, std::vector<std::string> argv);

  void PrintPlan() const;

  bool Leads() const { return plan_.Leads(); }
  /// Where it does not lead: keeps its ranks alive. Returns the job's exit code.
  int Follow() { return collectives_->Follow(); }

  /// Nothing where it was interrupted before there were two rounds. Throws Error.
  std::optional<MachineCard> Measure();
  /// Every machine's command exits with this code.
  void Finish(int exit_code);

  /// Why the all-reduces failed, where they did; what was measured beside them is in the card.
  const std::optional<Error>& failure() const { return failure_; }

  /// What the command exits with where a signal has come.
  std::optional<ExitCode> interrupted() { return work_.interrupted(); }

 private:
  Seconds Duration() const { return options_.watch.value_or(options_.max_time); }
  std::string PartsText() const;
  MachineCard ReadFacts() const;
  void PlanCollectives();
  std::optional<double> StealShare(const std::optional<CpuLoad>& before) const;
  void MeasureRounds(const std::vector<ProbeTask>& tasks, double seconds, int fewest);
  void MeasureCurves(double seconds, const std::function<void()>& between_rounds);
  /// Rounds and curves within the command's time, each spread over all of it.
  void MeasureTogether(const std::vector<ProbeTask>& tasks);
  void Watch(const std::vector<ProbeTask>& tasks);
  void AddCurveDrifts(WatchResult& watch) const;

  const ProbeOptions& options_;
  std::vector<std::string> argv_;
  double begin_s_;
  WatchedWork work_;
  Watchdog watchdog_;
  LaunchPlan plan_;
  std::optional<ProbeCollectives> collectives_;
  std::string no_collectives_;  ///< why there are none; empty: there are
  bool started_ = false;
  std::optional<Error> failure_;

  ProbeRounds rounds_;
  double first_round_s_ = 0;
  struct TimedCurves {
    double at_s = 0;
    std::vector<CollectiveCurve> curves;
  };
  std::vector<TimedCurves> curves_;
};

}  // namespace stallscope
