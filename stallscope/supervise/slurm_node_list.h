#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stallscope {

/// Slurm's short form of host names: "node[01-03,7],x1" is node01, node02, node03, node7 and x1.
/// Throws UsageError where the text is none.
std::vector<std::string> ParseSlurmNodeList(std::string_view text);

/// Slurm's tasks per node: "2(x3),1" is 2, 2, 2 and 1. Throws UsageError where the text is none.
std::vector<int> ParseSlurmTasksPerNode(std::string_view text);

}  // namespace stallscope
