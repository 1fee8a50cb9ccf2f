#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "stallscope/engine/launch_plan.h"
#include "stallscope/engine/machine_watch.h"
#include "stallscope/engine/meeting.h"
#include "stallscope/supervise/temporary_folder.h"
#include "stallscope/supervise/watchdog.h"

namespace stallscope {

/// How the commands of a job watch each other; nothing where there is only this one. `all_ready` as Lead's.
std::unique_ptr<MachineWatch> WatchOtherCommands(const LaunchPlan& plan, const std::string& address,
                                                 std::function<void()> all_ready);

/// The place where the ranks of a job find each other, for as long as this lives: a private folder on one
/// machine, else a server that rank 0's command runs.
class JobMeeting {
 public:
  /// Settles the plan's places where they were unknown. Throws Error where the port is taken, or the
  /// master does not answer within `join_timeout`, and once `interrupted` says so.
  JobMeeting(LaunchPlan& plan, Seconds join_timeout, Watchdog& watchdog,
             const std::function<bool()>& interrupted);
  ~JobMeeting();
  JobMeeting(const JobMeeting&) = delete;
  JobMeeting& operator=(const JobMeeting&) = delete;

  /// Tells the other machines that this one cannot join; best effort.
  void Abort(const std::string& reason) const;

  const MeetingConfig& config() const { return config_; }
  /// Where the job has several commands, they watch each other by this; else nothing.
  MachineWatch* watch() const { return watch_.get(); }
  /// This machine's address towards the others.
  const std::string& address() const { return address_; }

 private:
  void MeetInFolder(const LaunchPlan& plan, Seconds join_timeout, Watchdog& watchdog,
                    const std::function<bool()>& interrupted);
  void MeetAtMaster(LaunchPlan& plan, Seconds join_timeout, const std::function<bool()>& interrupted);

  MeetingConfig config_;
  std::string address_ = "127.0.0.1";
  std::unique_ptr<MeetingServer> server_;
  std::unique_ptr<MachineWatch> watch_;  ///< closes the server, so it must go first
  std::optional<TemporaryFolder> folder_;
  std::filesystem::path shared_folder_;
  Watchdog::Item watched_;
};

}  // namespace stallscope
