#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/commands/run_options.h"
#include "stallscope/engine/launch_plan.h"
#include "stallscope/hook/program.h"

namespace stallscope {

/// Runs the program to its end as it is, and says where its steps waited. Returns the program's own exit
/// status, or 128 + the signal that ended it.
int ObserveProgram(const RunOptions& options, const std::vector<std::string>& argv, const Program& program,
                   const LaunchPlan& plan, const std::filesystem::path& folder);

}  // namespace stallscope
