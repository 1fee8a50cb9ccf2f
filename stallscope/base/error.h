#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace stallscope {

/// What the commands exit with (docs/support.md).
enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,
  kExitUsage = 2,
  kExitNoChoice = 3,
  kExitThresholdMissed = 4,
  kExitInterrupted = 130,
  kExitTerminated = 143,
};

/// The one kind of failure: a sentence that says what is wrong, and one that says what to do.
/// It is thrown anywhere and printed once, in main.
class Error : public std::runtime_error {
 public:
  Error(const std::string& what, std::string how_to_fix, ExitCode code = kExitFailed)
      : std::runtime_error(what), hint(std::move(how_to_fix)), exit_code(code) {}

  std::string hint;
  ExitCode exit_code;
};

/// The user asked for something that cannot be meant.
class UsageError : public Error {
 public:
  UsageError(const std::string& what, std::string how_to_fix)
      : Error(what, std::move(how_to_fix), kExitUsage) {}
};

}  // namespace stallscope
