#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "stallscope/base/units.h"

namespace stallscope {

/// Why the job cannot go on here: what became of a command elsewhere.
struct MachineLoss {
  /// In the order in which they explain: of several, the first kind is the cause.
  enum class Kind {
    kTold,         ///< the command said what went wrong there
    kSilent,       ///< no heartbeat came: the machine or the network has gone
    kEnded,        ///< the command has ended without a word
    kConsequence,  ///< the command said that its ranks have lost others
  };
  Kind kind = Kind::kTold;
  std::string what;
  int exit_code = 1;
};

/// The commands of one job watch each other. Each sends a heartbeat to rank 0's command twice a second and
/// is sent one: Gloo waits for ever for a peer whose machine has vanished, and a slow link must not look like
/// a dead one. Heartbeats go as datagrams, because TCP waits longer after each loss on a crowded link, and on
/// a connection too, because firewalls may stop datagrams. Last words travel on the connection, so that
/// every command can name the rank, its step and the cause.
///
/// Rank 0's command listens on one address only until all others have come; who does not know the secret
/// of its offer is shown out.
class MachineWatch {
 public:
  struct Limits {
    Seconds beat{0.5};
    /// A lost packet is sent again after 0.2, 0.6, 1.4, 3 and 6.2 s: a cable may be out for six.
    Seconds silence{9};
    /// For a stranger to say the secret, and for a command to be let in.
    Seconds join{15};
  };

  /// The ranks from `first` to `last` are those of this command.
  MachineWatch(int first, int last);
  MachineWatch(int first, int last, const Limits& limits);
  ~MachineWatch();
  MachineWatch(const MachineWatch&) = delete;
  MachineWatch& operator=(const MachineWatch&) = delete;

  /// Rank 0's command: waits for so many others. `all_ready` is called once, from another thread, when all
  /// of them and this one have said that their ranks have met.
  void Lead(const std::string& address, int others, std::function<void()> all_ready);
  /// What the other commands need to join; private to the job. Empty where this command does not lead.
  const std::string& offer() const { return offer_; }
  /// Another command: throws Error where rank 0's cannot be reached.
  void Join(const std::string& offer);
  /// Whether it has led or joined.
  bool watching() const { return thread_.joinable(); }

  void SetStep(std::int64_t step);
  void SayReady();
  /// Last words, sent at once. The job has ended as it should:
  void SayEnd(int exit_code);
  /// ...or as it should not.
  void SayLoss(const MachineLoss& loss);

  /// The best explanation so far.
  std::optional<MachineLoss> loss() const;
  /// What rank 0's command ended the job with.
  std::optional<int> end() const;

 private:
  struct Peer;

  void Start();
  void Serve();
  void Accept();
  void ReadFrom(Peer& peer);
  void TakeLine(Peer& peer, const std::string& line);
  void TakeJoin(Peer& peer, const std::string& line);
  void Beat();
  void ReadDatagrams();
  void CheckSilence(double now);
  void NoteLoss(MachineLoss loss);
  void TellAll(const std::string& line);
  std::string NameOf(const Peer& peer) const;

  int first_;
  int last_;
  Limits limits_;
  std::string offer_;
  std::string secret_;
  int listener_ = -1;
  int datagrams_ = -1;
  int stop_pipe_[2] = {-1, -1};
  std::function<void()> all_ready_;
  std::thread thread_;

  mutable std::mutex mutex_;  ///< guards what follows, the sending on sockets too
  std::vector<std::unique_ptr<Peer>> peers_;
  int awaited_ = 0;  ///< others who have not come yet
  bool leads_ = false;
  bool ready_ = false;
  bool said_last_words_ = false;
  std::int64_t step_ = 0;
  std::optional<MachineLoss> loss_;
  std::optional<int> end_;
};

}  // namespace stallscope
