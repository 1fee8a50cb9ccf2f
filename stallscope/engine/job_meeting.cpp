#include "stallscope/engine/job_meeting.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <thread>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/base/root.h"

namespace stallscope {
namespace {

/// How long rank 0 waits for people to type the command on the other machines.
constexpr Seconds kWaitForOthers{300};

constexpr Seconds kAbortTime{2};

/// One per running kernel and network namespace: what shares both is one machine to us.
std::string MachineIdentity() {
  const std::string boot = ReadText(Root{}, "proc/sys/kernel/random/boot_id").value_or("?");
  std::error_code ignored;
  const auto network = std::filesystem::read_symlink("/proc/self/ns/net", ignored);
  return boot + network.string();
}

bool IsOurPrivateFolder(const std::filesystem::path& folder) {
  struct stat facts {};
  return lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == getuid() &&
         (facts.st_mode & 0777) == 0700;
}

}  // namespace

std::unique_ptr<MachineWatch> WatchOtherCommands(const LaunchPlan& plan, const std::string& address,
                                                 std::function<void()> all_ready) {
  const int own = static_cast<int>(plan.local_ranks.size());
  const int others = plan.world_size / own - 1;
  if (others <= 0) return nullptr;
  auto watch = std::make_unique<MachineWatch>(plan.rank, plan.rank + own - 1);
  if (plan.Leads()) watch->Lead(address, others, std::move(all_ready));
  return watch;
}

JobMeeting::JobMeeting(LaunchPlan& plan, Seconds join_timeout, Watchdog& watchdog,
                       const std::function<bool()>& interrupted) {
  config_.kind = plan.meeting;
  config_.host = plan.master_addr;
  config_.port = plan.master_port;
  config_.timeout_s = plan.Leads() ? std::max(kWaitForOthers, join_timeout).count() : join_timeout.count();
  if (plan.meeting == MeetingConfig::Kind::kFile) {
    MeetInFolder(plan, join_timeout, watchdog, interrupted);
  } else {
    MeetAtMaster(plan, join_timeout, interrupted);
  }
  // Nobody needs the meeting any more once all ranks have met, and then nobody shall find it.
  watch_ = WatchOtherCommands(plan, address_, [this] { server_.reset(); });
}

JobMeeting::~JobMeeting() {
  std::error_code ignored;
  if (!shared_folder_.empty()) std::filesystem::remove_all(shared_folder_, ignored);
}

void JobMeeting::Abort(const std::string& reason) const {
  // In a folder or under torchrun, the launcher or our own command ends the others.
  if (config_.kind != MeetingConfig::Kind::kTcp) return;
  try {
    MeetingClient(config_.host, config_.port, kAbortTime).Abort(reason);
  } catch (const Error&) {
    // The master has gone, and everybody will see that.
  }
}

void JobMeeting::MeetInFolder(const LaunchPlan& plan, Seconds join_timeout, Watchdog& watchdog,
                              const std::function<bool()>& interrupted) {
  if (plan.launcher.empty()) {
    folder_.emplace(&watchdog);
    config_.file = (folder_->path() / "meeting").string();
    return;
  }
  // The ranks' commands know nothing of each other but the job, so its name must do.
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() /
      fmt::format("stallscope-{}-{:016x}", getuid(), std::hash<std::string>{}(plan.launcher + plan.job_id));
  config_.file = (folder / "meeting").string();
  if (plan.Leads()) {
    std::error_code ignored;
    if (IsOurPrivateFolder(folder)) std::filesystem::remove_all(folder, ignored);
    if (mkdir(folder.c_str(), 0700) != 0) {
      throw Error(fmt::format("cannot make the folder {}: {}", folder.string(), std::strerror(errno)),
                  "remove it, or set TMPDIR to a folder of yours");
    }
    watched_ = watchdog.RemoveTree(folder);
    shared_folder_ = folder;
    return;
  }
  const double deadline = MonotonicSeconds() + join_timeout.count();
  while (!IsOurPrivateFolder(folder)) {
    if (interrupted()) throw Error("interrupted while the ranks met", "run it again", kExitInterrupted);
    if (MonotonicSeconds() > deadline) {
      throw Error(fmt::format("rank 0 has not started within {}", FormatDuration(join_timeout)),
                  "look at the output of rank 0's command");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

void JobMeeting::MeetAtMaster(LaunchPlan& plan, Seconds join_timeout,
                              const std::function<bool()>& interrupted) {
  if (plan.meeting == MeetingConfig::Kind::kTcp) {
    if (plan.Leads()) server_ = std::make_unique<MeetingServer>(plan.master_addr, plan.master_port);
    // Said here in a sentence rather than by the rank processes, later and all at once.
    MeetingClient client(plan.master_addr, plan.master_port, join_timeout, interrupted);
    if (plan.places_unknown) {
      client.Set(fmt::format("machine/{}", plan.rank), MachineIdentity());
      std::vector<std::string> machines;
      for (int rank = 0; rank < plan.world_size; ++rank) {
        machines.push_back(client.Get(fmt::format("machine/{}", rank), Seconds(config_.timeout_s)));
      }
      SettlePlaces(plan, machines);
    }
  }
  if (plan.nodes > 1) address_ = LocalAddressTowards(plan.master_addr);
}

}  // namespace stallscope
