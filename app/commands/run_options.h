#pragma once

#include <string>
#include <vector>

#include "app/commands/ladder_options.h"

namespace stallscope {

struct RunOptions : LadderOptions {
  std::vector<std::string> program;  ///< as typed after --
  std::string python;                ///< empty: the program says which
  std::vector<std::string> data;     ///< empty: the hook finds the files
  /// Without a step of any rank; then one of them hangs.
  Seconds timeout{300};
  bool allow_writes = false;
  /// Of the whole job and of one rank alone, in turn.
  int launches = 3;
  std::uint64_t seed = 1;
  bool explain = false;
  bool observe = false;
};

struct RunFlags {
  RunOptions options;
  LadderFlags ladder;
  std::string timeout = "5m";

  void Declare(CLI::App& app);
  /// Throws UsageError that names the flag.
  void ReadUnits();
};

}  // namespace stallscope
