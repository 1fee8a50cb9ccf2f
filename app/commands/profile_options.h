#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "app/output.h"
#include "stallscope/base/units.h"
#include "stallscope/engine/launch_plan.h"
#include "stallscope/engine/messages.h"

namespace stallscope {

struct ProfileOptions {
  TrainingConfig training;
  LaunchRequest launch;
  std::string interface;
  /// For the master to answer; people start their machines one after another.
  Seconds join_timeout{30};
  /// Stop once every stall's half-width is below this share of the step time...
  double tolerance = 0.03;
  /// ...or when this time is over.
  Seconds max_time{300};
  std::string out;  ///< empty: ./stallscope-DATE-TIME
  bool force = false;
  bool dry_run = false;
  bool list_models = false;
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
  std::string torchscript_file;
  std::string input_shape = "3x224x224";
  std::optional<int> vocabulary;
  bool no_broadcast_buffers = false;

  void Declare(CLI::App& app);
  /// Throws UsageError that names the flag.
  void ReadUnits();

 private:
  void ReadTorchscript();
};

}  // namespace stallscope
