#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stallscope/base/units.h"

namespace stallscope {

struct ToolOptions {
  Seconds timeout{10};
  /// Namespaces that the tool runs in, as descriptors.
  std::optional<int> user_namespace;
  std::optional<int> network_namespace;
};

/// Runs a tool of the system to its end and gives its standard output. Throws Error with the command and
/// its standard error where it fails, is missing or takes longer than the timeout.
std::string RunTool(const std::vector<std::string>& argv, const ToolOptions& options = {});

}  // namespace stallscope
