#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/status_line.h"
#include "stallscope/base/error.h"
#include "stallscope/supervise/signal_inbox.h"

namespace stallscope {

/// Long work of a command: shows a line about it, and hears Ctrl-C and SIGTERM.
class WatchedWork {
 public:
  explicit WatchedWork(const OutputOptions& output) : status_(output) {}

  /// False where a signal has asked to stop.
  bool Continue(const std::function<std::string()>& line);

  /// What the command exits with where a signal has come.
  std::optional<ExitCode> interrupted();

  /// For others that wait for signals: a process has one inbox.
  SignalInbox& signals() { return signals_; }

 private:
  StatusLine status_;
  SignalInbox signals_;
};

}  // namespace stallscope
