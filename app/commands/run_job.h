#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/emulate.h"
#include "app/commands/run_options.h"
#include "stallscope/engine/machine_watch.h"
#include "stallscope/engine/rank_team.h"
#include "stallscope/hook/hook_launch.h"
#include "stallscope/hook/interpreter.h"
#include "stallscope/ladder/ladder_document.h"
#include "stallscope/ladder/launches.h"
#include "stallscope/supervise/folder_shield.h"
#include "stallscope/supervise/signal_inbox.h"
#include "stallscope/supervise/temporary_folder.h"
#include "stallscope/supervise/watchdog.h"

namespace stallscope {

/// The ladder for the user's own program, from the first launch to the last.
class RunJob {
 public:
  RunJob(const RunOptions& options, const std::vector<std::string>& argv, const Program& program,
         const LaunchPlan& plan);

  /// Launches, measures, writes and prints. Returns the exit code.
  int Run(const std::filesystem::path& folder);
  /// A command beside rank 0's: keeps its ranks alive until that one ends the job.
  int Follow();
  /// 128 + its number, where a signal has come.
  std::optional<int> SignalExitCode();

 private:
  /// Every rung but solo, on all ranks; so many rounds, or until the stop rule is met.
  MeasureResult MeasureAll(int number, std::optional<int> rounds, double seconds,
                           const std::filesystem::path& folder);
  /// One rank alone.
  MeasureResult MeasureSolo(int number, int rounds, double seconds, const std::filesystem::path& folder);
  MeasureResult Measured(const HookLaunch& launch, const std::function<Rungs(const HookFacts&)>& choose,
                         MeasureOptions measure, const std::filesystem::path& folder);
  HookLaunch LaunchOf(const std::string& prefix, int nodes, int devices, const std::filesystem::path& folder);
  Rungs RungsFor(const HookFacts& facts) const;
  DataPlan DataPlanFor(const HookFacts& facts, int ranks) const;
  ProfileOrigin Origin() const;
  bool WantsSolo() const;
  /// Whether other commands start the other ranks.
  bool IsShared() const { return static_cast<int>(plan_.local_ranks.size()) != plan_.world_size; }
  std::vector<RankStart> StartsOf(const HookLaunch& launch);

  const RunOptions& options_;
  const std::vector<std::string>& argv_;
  const Program& program_;
  const LaunchPlan& plan_;
  Watchdog watchdog_;
  SignalInbox signals_;
  TemporaryFolder temporary_{&watchdog_};
  std::optional<EmulatedMachines> machines_;
  std::optional<FolderShield> shield_;
  std::unique_ptr<MachineWatch> watch_;  ///< the commands that start the other ranks
  std::optional<HookFacts> facts_;
  Rungs rungs_;
  bool steps_begun_ = false;  ///< whether steps.csv is this run's
  double bytes_seen_ = 0;     ///< of files, in blocks with real data
  double samples_seen_ = 0;   ///< likewise
};

}  // namespace stallscope
