#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/emulate.h"
#include "app/commands/law_sweep_options.h"
#include "stallscope/law/sweep_journal.h"
#include "stallscope/law/sweep_plan.h"
#include "stallscope/supervise/signal_inbox.h"
#include "stallscope/supervise/watchdog.h"

namespace stallscope {

/// What is left of the wanted cells once those links that `done` has measured often enough are gone.
std::vector<SweepCell> StillToMeasure(const std::vector<SweepCell>& wanted, const Sweep& done,
                                      const CellOptions& options);

/// Of --max-time, what first visits may take: the rest is for points that these know poorly.
std::optional<double> FirstVisitSeconds(const LawSweepOptions& options);

/// Measures the cells of a sweep, one launch after the other.
class LawSweepJob {
 public:
  /// `folder` is there; its journal too where `earlier` is given.
  LawSweepJob(const LawSweepOptions& options, std::filesystem::path folder, std::optional<Sweep> earlier);

  /// Until all is measured, the time is over or somebody interrupts. Poorly known points are visited again at
  /// the end. A launch that fails is passed over; a second one in a row ends the sweep with its Error.
  void Run();
  /// 128 + its number, where a signal has come.
  std::optional<int> SignalExitCode();

 private:
  std::function<bool()> Interrupted();
  /// One visit to each of them, while there is time.
  void Visit(std::vector<SweepCell> cells, std::optional<double> seconds);
  /// Visits points that are still poorly known, or were always disturbed.
  void VisitAgain(double first_visits_s);
  /// Seconds that the launch took; nothing where it failed.
  std::optional<double> Launch(const SweepCell& cell, double max_time_s);
  void PrepareLink(int ranks);
  SweepJournal& Journal(const std::optional<std::string>& torch);

  const LawSweepOptions& options_;
  const std::filesystem::path folder_;
  const std::filesystem::path engine_;
  std::optional<Sweep> earlier_;  ///< what this folder had when the present visits began
  Watchdog watchdog_;
  SignalInbox signals_;
  bool emulated_ = true;
  std::optional<EmulatedMachines> machines_;
  int machines_ranks_ = 0;
  std::optional<SweepJournal> journal_;
  std::optional<Error> failure_;
  SweepSpeed speed_;
  std::vector<double> ratios_;  ///< of recent launches' seconds to what was foreseen
  std::size_t launches_ = 0;
};

}  // namespace stallscope
