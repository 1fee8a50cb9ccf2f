#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/emulate.h"
#include "app/commands/launch_flags.h"
#include "app/output.h"
#include "stallscope/base/units.h"
#include "stallscope/engine/launch_plan.h"
#include "stallscope/ladder/condition.h"

namespace stallscope {

/// What every command that climbs the ladder is told.
struct LadderOptions {
  LaunchRequest launch;
  std::optional<EmulateOption> emulate;
  bool evict = true;  ///< whether files may be driven out of memory, for `cold`
  /// The rungs to climb; empty: all that can be had.
  std::vector<Condition> conditions;
  /// Stop once every stall's half-width is below this share of the step time...
  double tolerance = 0.03;
  /// ...or when this time is over.
  Seconds max_time{300};
  std::string out;    ///< empty: ./stallscope-DATE-TIME
  std::string html;   ///< a page as well; empty: none
  std::string store;  ///< a folder instead of the usual one
  bool keep_in_store = true;
  bool force = false;
  OutputOptions output;
};

/// Their flags. Quantities with units are checked by Read, once the command line was parsed.
struct LadderFlags {
  std::string tolerance = "3%";
  std::string max_time = "5m";
  std::string emulate;
  std::string conditions;
  bool no_evict = false;
  bool no_store = false;

  void DeclareLaunch(CLI::App& app, LadderOptions& options, const char* group, const char* ranks_help);
  void DeclareMeasure(CLI::App& app, const char* group);
  void DeclareResults(CLI::App& app, LadderOptions& options, const char* group);
  /// Throws UsageError that names the flag. `overwrites`: whether an existing page may be replaced.
  void Read(LadderOptions& options, bool overwrites) const;
};

}  // namespace stallscope
