#pragma once

#include <signal.h>

#include <array>
#include <optional>

#include "stallscope/supervise/file_descriptor.h"

namespace stallscope {

/// What the signals that came so far mean.
class SignalHistory {
 public:
  void Record(int signal, double time_s);

  /// The one that decides the exit code: the first.
  std::optional<int> first() const { return first_; }
  /// The user pressed Ctrl-C again: leave without waiting for anything. Two within 0.2 s are one wish that
  /// came twice, as when the terminal and `timeout` both send it.
  bool urgent() const { return urgent_; }

 private:
  std::optional<int> first_;
  std::optional<double> first_interrupt_s_;
  bool urgent_ = false;
};

/// SIGINT, SIGTERM and SIGHUP arrive at a descriptor instead of killing the process, and SIGPIPE is
/// ignored, while this lives. A process has at most one.
class SignalInbox {
 public:
  SignalInbox();
  SignalInbox(const SignalInbox&) = delete;
  SignalInbox& operator=(const SignalInbox&) = delete;
  /// The handlers from before are back.
  ~SignalInbox();

  /// Readable when a signal has come.
  int fd() const { return pipe_.read_end.get(); }
  /// Empties the descriptor; what came is in the history.
  const SignalHistory& Read();

 private:
  static constexpr std::array kCaught = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

  Pipe pipe_;
  SignalHistory history_;
  std::array<struct sigaction, kCaught.size()> previous_{};
};

}  // namespace stallscope
