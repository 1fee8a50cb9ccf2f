#pragma once

#include <CLI/App.hpp>
#include <string>

#include "stallscope/base/units.h"
#include "stallscope/engine/launch_plan.h"

namespace stallscope {

/// How the ranks of several machines are started and find each other.
struct LaunchOptions {
  LaunchRequest request;
  std::string interface;
  /// For the master to answer; people start their machines one after another.
  Seconds join_timeout{30};
};

/// --nproc-per-node, --nnodes, --node-rank, --master-addr and --master-port.
void DeclareLaunchRequest(CLI::App& app, LaunchRequest& request, const char* group, const char* ranks_help);

/// --interface and --join-timeout; the latter is still to be read by ReadDuration.
void DeclareMeeting(CLI::App& app, std::string& interface, std::string& join_timeout, const char* group);

/// Throws UsageError that names the flag.
Seconds ReadDuration(const std::string& text, const char* flag);

}  // namespace stallscope
