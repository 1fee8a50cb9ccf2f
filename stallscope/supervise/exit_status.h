#pragma once

#include <optional>
#include <string>

namespace stallscope {

/// How a process ended: one of the two.
struct ExitStatus {
  std::optional<int> exit_code;
  std::optional<int> signal;

  bool ok() const { return exit_code == 0; }
  /// As a shell tells it: the exit code, or 128 + the signal.
  int ShellCode() const { return signal ? 128 + *signal : exit_code.value_or(1); }
  /// "exit code 3", "signal 9 (Killed)".
  std::string Text() const;
};

}  // namespace stallscope
