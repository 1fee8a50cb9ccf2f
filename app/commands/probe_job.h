#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/probe_options.h"
#include "app/watched_work.h"
#include "stallscope/document/machine_card.h"

namespace stallscope {

/// One probe of this machine.
class ProbeJob {
 public:
  ProbeJob(const ProbeOptions& options, std::vector<std::string> argv)
      : options_(options), argv_(std::move(argv)), work_(options.output) {}

  void PrintPlan() const;

  /// Nothing where it was interrupted before there were two rounds. Throws Error.
  std::optional<MachineCard> Measure();

  /// What the command exits with where a signal has come.
  std::optional<ExitCode> interrupted() { return work_.interrupted(); }

 private:
  Seconds Duration() const { return options_.watch.value_or(options_.max_time); }
  std::string PartsText() const;
  MachineCard ReadFacts() const;

  const ProbeOptions& options_;
  std::vector<std::string> argv_;
  WatchedWork work_;
};

}  // namespace stallscope
