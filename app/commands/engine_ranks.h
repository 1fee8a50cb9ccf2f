#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "stallscope/engine/job_meeting.h"
#include "stallscope/engine/launch_plan.h"
#include "stallscope/engine/rank_team.h"
#include "stallscope/ladder/measure.h"

namespace stallscope {

/// The ranks that this command starts, each at its place in the job; what they do is still to be filled in.
std::vector<EngineConfig> PlacedRanks(const LaunchPlan& plan, const JobMeeting& meeting,
                                      const std::string& interface);

/// One of them as a process with its share of the cores, and its log in the folder.
RankStart StartOfRank(const EngineConfig& config, const LaunchPlan& plan, const std::filesystem::path& engine,
                      const std::filesystem::path& log_folder);

/// Until all ranks have met. What goes wrong is told to the other machines. Returns what the first one says
/// of its work.
nlohmann::json WaitForRanks(RankTeam& team, const JobMeeting& meeting);

/// Ends the ranks of a job as its measurement ended.
void EndRanks(RankTeam& team, const MeasureResult& measured, int exit_code);

}  // namespace stallscope
