#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/emulate.h"
#include "app/commands/profile_options.h"
#include "stallscope/document/json_fields.h"
#include "stallscope/engine/job_meeting.h"
#include "stallscope/engine/launch_plan.h"
#include "stallscope/engine/rank_team.h"
#include "stallscope/ladder/ladder_document.h"
#include "stallscope/supervise/signal_inbox.h"
#include "stallscope/supervise/watchdog.h"

namespace stallscope {

Layout LayoutOf(const LaunchPlan& plan);
/// The rungs that the job has and the user wants. Throws UsageError where these do not meet.
Rungs RungsOfJob(const LaunchPlan& plan, const ProfileOptions& options);

/// One `profile` command's share of a job, from the first process to the last.
class ProfileJob {
 public:
  ProfileJob(const ProfileOptions& options, const std::vector<std::string>& argv, LaunchPlan& plan,
             const std::optional<DatasetInfo>& dataset);

  /// Rank 0's command: measures, writes and prints. Returns the exit code.
  int Lead(const std::filesystem::path& folder);
  /// Injects stalls of known size and says whether the ladder finds them. Returns the exit code.
  int SelfTest(const std::filesystem::path& folder);
  /// The other commands: keep their ranks alive until rank 0's command ends the job.
  int Follow();
  /// 128 + its number, where a signal has come: then an Error of the above is only its consequence.
  std::optional<int> SignalExitCode();

 private:
  std::function<bool()> Interrupted();
  std::vector<RankStart> RankStarts(const std::filesystem::path& log_folder, const JobMeeting& meeting) const;
  MeasureOptions MeasureOptionsFor(const Rungs& rungs, const std::filesystem::path& folder) const;
  /// What a run must share with an earlier one to go on with its rounds.
  Json JobOf(const MeasureOptions& measure) const;
  int Workers() const;
  MeasureResult Climb(RankTeam& team, const MeasureOptions& measure, const std::filesystem::path& folder);
  /// The literature's network stall, where it was asked for.
  void AddReference(Profile& profile) const;
  ProfileOrigin Origin(const WorkloadFacts& facts) const;
  int ExitCodeOf(const MeasureResult& measured);

  const ProfileOptions& options_;
  const std::vector<std::string>& argv_;
  LaunchPlan& plan_;
  const std::optional<DatasetInfo>& dataset_;
  const std::filesystem::path engine_;
  Watchdog watchdog_;
  SignalInbox signals_;
  std::optional<EmulatedMachines> machines_;
};

}  // namespace stallscope
