#include "app/commands/launch_flags.h"

#include <fmt/format.h>

#include "app/commands/add_option.h"
#include "stallscope/base/error.h"

namespace stallscope {
void DeclareLaunchRequest(CLI::App& app, LaunchRequest& request, const char* group, const char* ranks_help) {
  AddOption(app, "--nproc-per-node", request.nproc_per_node, "N", group, ranks_help);
  AddOption(app, "--nnodes", request.nnodes, "N", group, "machines; run the command once on each");
  AddOption(app, "--node-rank", request.node_rank, "R", group, "this machine's number, from 0");
  AddOption(app, "--master-addr", request.master_addr, "ADDR", group,
            "address of the machine with --node-rank 0");
  AddOption(app, "--master-port", request.master_port, "PORT", group, "a free port there (default 29500)");
}

void DeclareMeeting(CLI::App& app, std::string& interface, std::string& join_timeout, const char* group) {
  AddOption(app, "--interface", interface, "NAME", group, "network interface between the machines");
  AddOption(app, "--join-timeout", join_timeout, "TIME", group,
            "how long to try to reach the master (default 30s)");
}

Seconds ReadDuration(const std::string& text, const char* flag) {
  const auto duration = ParseDuration(text);
  if (!duration || duration->count() <= 0) {
    throw UsageError(fmt::format("{} '{}' is no duration", flag, text), "write it as 90s, 10m or 1h");
  }
  return *duration;
}

}  // namespace stallscope
