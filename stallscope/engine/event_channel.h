#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <thread>

namespace stallscope {

/// The descriptor on which a rank speaks to the command that started it; its standard output is its log.
constexpr int kEventDescriptor = 3;

/// A rank's side of the conversation: events out, one JSON document a line, from any thread.
class EventChannel {
 public:
  explicit EventChannel(int descriptor) : descriptor_(descriptor) {}
  void Send(const nlohmann::json& event);

 private:
  int descriptor_;
  std::mutex mutex_;
};

/// Says every half second that the process lives, and at which step it is. A rank that computes or waits
/// for long still beats; one that was stopped or has lost its machine does not.
class Heartbeat {
 public:
  Heartbeat(EventChannel& channel, std::function<std::int64_t()> step);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

 private:
  int stop_pipe_[2];
  std::thread thread_;
};

}  // namespace stallscope
