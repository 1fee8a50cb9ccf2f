#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/output.h"
#include "stallscope/base/error.h"
#include "stallscope/supervise/signal_inbox.h"

namespace stallscope {

/// Long work of a command: shows a line about it on standard error (on a terminal one that is drawn again,
/// elsewhere one every ten seconds), and hears Ctrl-C and SIGTERM.
class WatchedWork {
 public:
  explicit WatchedWork(const OutputOptions& output);
  WatchedWork(const WatchedWork&) = delete;
  WatchedWork& operator=(const WatchedWork&) = delete;
  /// Clears the line of a terminal.
  ~WatchedWork();

  /// False where a signal has asked to stop.
  bool Continue(const std::function<std::string()>& line);

  /// What the command exits with where a signal has come.
  std::optional<ExitCode> interrupted();

 private:
  bool show_;
  bool is_terminal_;
  TextStyle style_;
  double last_s_;
  bool shown_ = false;
  SignalInbox signals_;
};

}  // namespace stallscope
