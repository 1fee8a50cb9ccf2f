#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "app/commands/emulate.h"
#include "app/output.h"
#include "stallscope/base/units.h"
#include "stallscope/engine/launch_plan.h"
#include "stallscope/engine/messages.h"
#include "stallscope/ladder/condition.h"

namespace stallscope {

struct ProfileOptions {
  TrainingConfig training;
  LaunchRequest launch;
  std::string interface;
  std::optional<EmulateOption> emulate;
  std::optional<DataConfig> data;
  bool evict = true;  ///< whether files may be driven out of memory, for `cold`
  /// The rungs to climb; empty: all that can be had.
  std::vector<Condition> conditions;
  /// Between two samples of the machines' resources; 0: none.
  Seconds sample{0};
  /// For the master to answer; people start their machines one after another.
  Seconds join_timeout{30};
  /// Stop once every stall's half-width is below this share of the step time...
  double tolerance = 0.03;
  /// ...or when this time is over.
  Seconds max_time{300};
  std::string out;    ///< empty: ./stallscope-DATE-TIME
  std::string html;   ///< a page as well; empty: none
  std::string store;  ///< a folder instead of the usual one
  bool keep_in_store = true;
  std::string reference;  ///< the profile of one machine with as many devices; empty: none
  std::string resume;     ///< the folder of an earlier run to go on with; empty: none
  bool force = false;
  bool dry_run = false;
  bool list_models = false;
  bool self_test = false;
  OutputOptions output;

  const std::string& WorkloadName() const {
    return training.torchscript ? training.torchscript->file : training.model;
  }
};

/// Declares the flags; `options` is filled in when the command line is parsed. Quantities with units are
/// checked by ReadUnits afterwards.
struct ProfileFlags {
  ProfileOptions options;
  std::string tolerance = "3%";
  std::string max_time = "5m";
  std::string join_timeout = "30s";
  std::string emulate;
  std::string data;
  std::string workers;
  std::string max_bad = "1%";
  std::string conditions;
  std::string sample;
  bool no_evict = false;
  bool no_store = false;
  std::string torchscript_file;
  std::string input_shape = "3x224x224";
  std::optional<int> vocabulary;
  bool no_broadcast_buffers = false;
  const CLI::Option* model = nullptr;

  void Declare(CLI::App& app);
  /// Throws UsageError that names the flag.
  void ReadUnits();

 private:
  void ReadTorchscript();
  void ReadData();
  void ReadConditions();
  /// What --self-test takes where nothing else is said.
  void PrepareSelfTest();
};

}  // namespace stallscope
