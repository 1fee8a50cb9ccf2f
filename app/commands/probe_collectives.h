#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/launch_flags.h"
#include "app/output.h"
#include "stallscope/document/collective_curve.h"
#include "stallscope/engine/job_meeting.h"
#include "stallscope/engine/launch_plan.h"
#include "stallscope/engine/rank_team.h"
#include "stallscope/supervise/signal_inbox.h"
#include "stallscope/supervise/temporary_folder.h"
#include "stallscope/supervise/watchdog.h"

namespace stallscope {

/// One `probe` command's share of a job that measures collectives: Start, Measure as often as wanted, Finish.
/// Between these the ranks wait and take no processor. Where this command does not lead: Follow.
class ProbeCollectives {
 public:
  ProbeCollectives(const LaunchOptions& launch, LaunchPlan& plan, const OutputOptions& output,
                   SignalInbox& signals, Watchdog& watchdog);

  /// Until the ranks of all machines have met. Throws Error where they do not.
  void Start();
  /// `budget`: for all curves together, without what `between_rounds` takes, which is called before each of
  /// their rounds. Throws Error when a rank is lost or a signal has come.
  std::vector<CollectiveCurve> Measure(Seconds budget, std::uint64_t seed,
                                       const std::function<void()>& between_rounds);
  /// Ends the job; every machine's command exits with this code.
  void Finish(int exit_code);
  /// A command beside rank 0's: keeps its ranks alive until that one ends the job. Returns the job's exit
  /// code.
  int Follow();

  const std::string& torch_version() const { return torch_version_; }

 private:
  LaunchOptions launch_;
  LaunchPlan& plan_;
  const OutputOptions& output_;
  SignalInbox& signals_;
  Watchdog& watchdog_;
  std::filesystem::path engine_;
  std::string torch_version_;
  std::optional<TemporaryFolder> logs_;
  std::optional<JobMeeting> meeting_;
  std::optional<RankTeam> team_;
};

}  // namespace stallscope
