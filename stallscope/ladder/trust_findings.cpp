#include <fmt/core.h>

#include <utility>

#include "stallscope/ladder/finding_checks.h"

namespace stallscope {
namespace {

void CheckNoise(const Profile& profile, const FindingsInput& input, std::vector<Finding>& findings) {
  const Stalls& stalls = profile.stalls;
  double widest = 0;
  std::string name;
  for (const auto& [stall, stall_name] :
       {std::pair(&stalls.interconnect, "interconnect"), std::pair(&stalls.network, "network"),
        std::pair(&stalls.prep, "prep"), std::pair(&stalls.fetch, "fetch"),
        std::pair(&stalls.compute, "compute")}) {
    if (!*stall || (*stall)->share.HalfWidth() <= widest) continue;
    widest = (*stall)->share.HalfWidth();
    name = stall_name;
  }
  if (widest <= input.tolerance) return;
  findings.push_back({.severity = Severity::kWarning,
                      .what = fmt::format("{} is uncertain by {:.1f} % of a step, and {:.1f} % was asked for",
                                          name, 100 * widest, 100 * input.tolerance),
                      .why = fmt::format("measuring ended ({}) after {} that scatter", profile.stopped_by,
                                         Count(profile.rounds_kept, "round")),
                      .advice = "raise --max-time, or rerun on an idle machine",
                      .saves_s = std::nullopt});
}

void CheckPollution(const Profile& profile, const FindingsInput& input, std::vector<Finding>& findings) {
  if (input.never_idle) {
    findings.push_back(
        {.severity = Severity::kProblem,
         .what = "this machine is never idle: other processes disturbed too many rounds",
         .why = "so many rounds were disturbed that all were used, and the stalls contain the foreign load",
         .advice = "stop other work on the machine and measure again",
         .saves_s = std::nullopt});
  } else if (profile.rounds_dropped > 0) {
    findings.push_back({.severity = Severity::kInfo,
                        .what = fmt::format("{} of {} rounds were dropped", profile.rounds_dropped,
                                            profile.rounds_kept + profile.rounds_dropped),
                        .why = "other processes or the hypervisor used the processor meanwhile",
                        .advice = "nothing needs to be done; an idle machine measures faster",
                        .saves_s = std::nullopt});
  }
}

void CheckUnverified(const Profile& profile, std::vector<Finding>& findings) {
  if (profile.rounds_unverified <= 0) return;
  const int rounds = profile.rounds_kept + profile.rounds_dropped + profile.rounds_unverified;
  const bool most = profile.rounds_unverified > profile.rounds_kept;
  findings.push_back(
      {.severity = most ? Severity::kWarning : Severity::kInfo,
       .what = fmt::format("{} of {} rounds were discarded: their files were not as cold or as warm as asked",
                           profile.rounds_unverified, rounds),
       .why = "the bytes that came from the disk in a block say which files were in memory, and they did not "
              "fit its rung",
       .advice = "keep other programs from reading or mapping the data set while it is measured",
       .saves_s = std::nullopt});
}

void CheckClientCold(const Profile& profile, std::vector<Finding>& findings) {
  const ConditionInfo* cold = RungOf(profile, "cold");
  if (cold == nullptr || cold->cache != "client-cold") return;
  findings.push_back(
      {.severity = Severity::kWarning,
       .what = "fetch was measured client-cold: the server may have had the files in its memory",
       .why = "on a network file system only this side's cache can be emptied",
       .advice = "measure files that the server has not read lately; it may be slower with them",
       .saves_s = std::nullopt});
}

void CheckCores(const FindingsInput& input, std::vector<Finding>& findings) {
  if (!input.cores_per_machine || input.devices_per_host <= *input.cores_per_machine) return;
  findings.push_back({.severity = Severity::kProblem,
                      .what = fmt::format("{} share {}", Count(input.devices_per_host, "rank"),
                                          Count(*input.cores_per_machine, "core")),
                      .why = "ranks that take turns on a core show up as contention and as skew",
                      .advice = "use at most one rank per core: lower --nproc-per-node",
                      .saves_s = std::nullopt});
}

void CheckEnd(const Profile& profile, std::vector<Finding>& findings) {
  if (profile.stopped_by != "failed" && profile.stopped_by != "interrupted") return;
  findings.push_back({.severity = Severity::kWarning,
                      .what = fmt::format("measuring ended early: {}", profile.stopped_by),
                      .why = profile.failure.value_or("it was interrupted from outside"),
                      .advice = "the finished rounds were kept; measure again for narrower intervals",
                      .saves_s = std::nullopt});
}

void CheckOverdue(const FindingsInput& input, std::vector<Finding>& findings) {
  if (input.overdue.empty()) return;
  findings.push_back(
      {.severity = Severity::kProblem,
       .what =
           fmt::format("--max-time was over for long, and the last round was given up: {}", input.overdue),
       .why = "a link, a disk or a machine has become much slower, or hangs; all ranks gave signs of life",
       .advice = "look at the link between the machines and at the disk, then go on with --resume",
       .saves_s = std::nullopt});
}

}  // namespace

void AddTrustFindings(const Profile& profile, const FindingsInput& input, std::vector<Finding>& findings) {
  CheckCores(input, findings);
  CheckPollution(profile, input, findings);
  CheckUnverified(profile, findings);
  CheckClientCold(profile, findings);
  CheckEnd(profile, findings);
  CheckOverdue(input, findings);
  CheckNoise(profile, input, findings);
}

}  // namespace stallscope
