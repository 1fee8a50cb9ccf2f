#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "app/commands/ladder_options.h"
#include "stallscope/engine/messages.h"

namespace stallscope {

struct ProfileOptions : LadderOptions {
  TrainingConfig training;
  std::string interface;
  std::optional<DataConfig> data;
  /// Between two samples of the machines' resources; 0: none.
  Seconds sample{0};
  /// For the master to answer; people start their machines one after another.
  Seconds join_timeout{30};
  std::string reference;  ///< the profile of one machine with as many devices; empty: none
  std::string resume;     ///< the folder of an earlier run to go on with; empty: none
  bool dry_run = false;
  bool list_models = false;
  bool self_test = false;

  const std::string& WorkloadName() const {
    return training.torchscript ? training.torchscript->file : training.model;
  }
};

/// Declares the flags; `options` is filled in when the command line is parsed. Quantities with units are
/// checked by ReadUnits afterwards.
struct ProfileFlags {
  ProfileOptions options;
  LadderFlags ladder;
  std::string join_timeout = "30s";
  std::string data;
  std::string workers;
  std::string max_bad = "1%";
  bool follow = false;
  std::string sample;
  std::string torchscript_file;
  std::string input_shape = "3x224x224";
  std::optional<int> vocabulary;
  bool no_broadcast_buffers = false;
  const CLI::Option* model = nullptr;
  const CLI::Option* bucket = nullptr;

  void Declare(CLI::App& app);
  /// Throws UsageError that names the flag.
  void ReadUnits();

 private:
  void ReadTorchscript();
  void ReadData();
  /// What --self-test takes where nothing else is said.
  void PrepareSelfTest();
};

}  // namespace stallscope
