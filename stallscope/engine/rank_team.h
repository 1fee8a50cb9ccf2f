#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/base/error.h"
#include "stallscope/engine/block.h"
#include "stallscope/engine/collective.h"
#include "stallscope/engine/machine_watch.h"
#include "stallscope/engine/messages.h"
#include "stallscope/supervise/child_process.h"
#include "stallscope/supervise/signal_inbox.h"
#include "stallscope/supervise/watchdog.h"

namespace stallscope {

/// One rank process to start on this machine.
struct RankStart {
  int rank = 0;
  ChildOptions child;      ///< its log_file is named where the rank is lost
  std::string first_line;  ///< what it reads first on its standard input; empty: nothing
};

/// A rank of our own engine.
RankStart EngineRank(const std::filesystem::path& engine, const EngineConfig& config);

/// The rank processes of this machine. Where rank 0 is among them, this side gives the orders; elsewhere
/// it only watches. A rank lives while its heartbeat arrives. When one is lost, all are ended and an Error
/// tells which, at which step, and of what.
class RankTeam : public BlockRunner, public CollectiveRunner {
 public:
  struct Limits {
    /// A first sign of life; loading libtorch takes seconds on a busy machine.
    Seconds first_heartbeat{60};
    Seconds heartbeat{8};
    /// After Ctrl-C, for the running block to finish.
    Seconds interrupt{4};
    /// For the ranks to end by themselves once they were told to.
    Seconds stop{3};
    /// Without a step anywhere: then ranks wait for one that does not come. Nothing: as long as they like.
    std::optional<Seconds> progress;
  };

  RankTeam(const std::vector<RankStart>& ranks, SignalInbox& signals, Watchdog& watchdog);
  RankTeam(const std::vector<RankStart>& ranks, SignalInbox& signals, Watchdog& watchdog,
           const Limits& limits);
  ~RankTeam() override;

  /// From now on the loss of a command elsewhere ends the job here too, and what happens here is told
  /// there. The watch outlives the team. Where it is not `required`, a command that cannot join goes on
  /// unwatched.
  void WatchOthers(MachineWatch& watch, bool required = true) {
    watch_ = &watch;
    watch_required_ = required;
  }

  /// Until every local rank has met all others and stands ready. `limit` bounds the wait for ranks of
  /// other machines. What the first of them says of its workload.
  nlohmann::json WaitUntilReady(Seconds limit);

  /// Throws Error when a rank is lost, or when a signal came and the block would not end soon.
  BlockResult Run(const BlockRequest& request) override;
  /// Likewise, in a job that measures collectives.
  std::vector<CollectiveReport> Run(const CollectiveRequest& request) override;

  /// On a machine without rank 0: until rank 0's command ends the job. Returns the exit code of the job.
  int WaitForStop();

  /// Ends the job on every machine with this exit code.
  void Stop(int exit_code);
  /// Likewise where ranks are within a block that nobody waits for any more.
  void StopWithinBlock(int exit_code);
  /// Ends what is left of a failed job at once; other machines are told.
  void Kill();

 private:
  struct Rank;

  /// Reads what has come, and waits at most `timeout` for something to come.
  void Pump(Seconds timeout);
  void TakeLine(Rank& rank, const std::string& line);
  void Join(const std::string& offer);
  /// How long this rank's silence may last by now; nothing while it has not lasted too long.
  std::optional<Seconds> TooLongSilent(const Rank& rank) const;
  /// Throws when a rank has ended, failed or fallen silent.
  void CheckAlive();
  [[noreturn]] void ThrowLoss();
  /// Tells the other machines, and throws.
  [[noreturn]] void Fail(const Error& error, bool consequence = false);
  void EndRanks();
  std::optional<std::string> CauseOf(const Rank& rank, bool also_consequences) const;
  /// The rank that the others wait for, where no step was made for too long.
  void CheckProgress();
  void CheckSignals(double& first_seen_s);
  /// Waits for the event while the ranks live.
  nlohmann::json AwaitEvent(const std::string& kind,
                            double give_up_at_s = std::numeric_limits<double>::infinity());
  std::optional<nlohmann::json> TakeEvent(const std::string& kind);

  Limits limits_;
  SignalInbox& signals_;
  std::vector<Rank> ranks_;
  std::deque<nlohmann::json> events_;
  bool stopping_ = false;
  MachineWatch* watch_ = nullptr;
  bool watch_required_ = true;
  double last_progress_s_ = 0;
};

}  // namespace stallscope
