#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "stallscope/base/units.h"

namespace stallscope {

/// A small key-value server where the ranks of several machines leave their addresses. It listens on one
/// address only, and a stranger who connects and says nothing, or nonsense, holds nobody up.
/// (torch's TCPStore listens on every address and answers its clients one after another.)
class MeetingServer {
 public:
  /// Port 0 takes a free one. Throws Error where the port is taken or the address is not of this machine.
  MeetingServer(const std::string& host, int port);
  ~MeetingServer();
  MeetingServer(const MeetingServer&) = delete;
  MeetingServer& operator=(const MeetingServer&) = delete;

  int port() const { return port_; }

 private:
  struct Client;
  void Serve();
  void DropStrangers();
  bool ReadFrom(Client& client);
  bool Answer(Client& client, const std::string& line);
  void AnswerWaiters();

  int listener_ = -1;
  int stop_pipe_[2] = {-1, -1};
  int port_ = 0;
  std::map<std::string, std::string> values_;
  std::string aborted_;  ///< why nobody needs to wait any more; empty while the meeting goes on
  std::vector<std::unique_ptr<Client>> clients_;
  std::thread thread_;
};

/// One rank's connection to the meeting. Not thread-safe: one user at a time.
class MeetingClient {
 public:
  /// Tries until the server answers; throws Error after `timeout`, and once `interrupted` says so.
  MeetingClient(
      const std::string& host, int port, Seconds timeout,
      std::function<bool()> interrupted = [] { return false; });
  ~MeetingClient();
  MeetingClient(const MeetingClient&) = delete;
  MeetingClient& operator=(const MeetingClient&) = delete;

  void Set(const std::string& key, const std::string& value);
  /// Waits until somebody has set the key; throws Error after `timeout`.
  std::string Get(const std::string& key, Seconds timeout);
  bool Has(const std::string& key);
  std::int64_t Add(const std::string& key, std::int64_t amount);
  bool Remove(const std::string& key);
  std::int64_t Count();
  /// One of the ranks cannot join: everybody who waits, now or later, gets this as an Error.
  void Abort(const std::string& reason);

 private:
  std::string Ask(const std::string& request, Seconds timeout);

  void CheckInterrupted() const;

  std::string place_;
  std::function<bool()> interrupted_;
  int socket_ = -1;
  std::string received_;
};

/// The address of this machine from which `host` is reached; throws Error where it cannot be.
std::string LocalAddressTowards(const std::string& host);

}  // namespace stallscope
