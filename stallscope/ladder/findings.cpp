#include "stallscope/ladder/findings.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "stallscope/base/units.h"

namespace stallscope {
namespace {

/// Below this share of a step a stall is not worth anybody's afternoon.
constexpr double kWorthAttention = 0.05;
/// From here on a stall decides how fast training is.
constexpr double kDecisive = 0.15;

/// A stall that is surely there, and large enough to act on.
bool Matters(const std::optional<Stall>& stall) {
  return stall && stall->distinguishable && stall->share.mean >= kWorthAttention;
}

Severity SeverityOf(const Stall& stall) {
  return stall.share.mean >= kDecisive ? Severity::kProblem : Severity::kWarning;
}

std::string Percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

/// The communication of the rung that a stall leads up to.
std::optional<CommunicationInfo> CommunicationOf(const Profile& profile, const char* condition) {
  const auto found = profile.conditions.find(condition);
  return found == profile.conditions.end() ? std::nullopt : found->second.communication;
}

std::string GradientsSentence(const Profile& profile, const char* condition) {
  std::string sentence = fmt::format("each step reduces {} of gradients in {} tensors",
                                     FormatBytes(static_cast<double>(profile.workload.gradient_bytes)),
                                     profile.workload.gradient_tensors);
  if (const auto communication = CommunicationOf(profile, condition)) {
    sentence += fmt::format(", and the backward pass hides {} of the time that takes",
                            Percent(communication->overlap_share));
  }
  return sentence;
}

void CheckInterconnect(const Profile& profile, std::vector<Finding>& findings) {
  // Without crowd the communication is only known together with contention.
  const bool apart = profile.stalls.communication.has_value();
  const std::optional<Stall>& stall = apart ? profile.stalls.communication : profile.stalls.interconnect;
  if (!Matters(stall)) return;
  findings.push_back({.severity = SeverityOf(*stall),
                      .what = fmt::format("{} of a step waits for gradients of other devices in the machine",
                                          Percent(stall->share.mean)),
                      .why = GradientsSentence(profile, "node"),
                      .advice =
                          "use a larger --batch or --accumulate, so that one reduction serves more samples; "
                          "then compare --bucket 25MiB, tensor and model",
                      .saves_s = stall->seconds.mean});
}

void CheckNetwork(const Profile& profile, std::vector<Finding>& findings) {
  if (!Matters(profile.stalls.network)) return;
  const Stall& stall = *profile.stalls.network;
  findings.push_back(
      {.severity = SeverityOf(stall),
       .what = fmt::format("{} of a step waits for gradients of other machines", Percent(stall.share.mean)),
       .why = GradientsSentence(profile, "cluster"),
       .advice =
           "prefer fewer and larger machines or a faster network; else use a larger --batch or --accumulate",
       .saves_s = stall.seconds.mean});
}

void CheckContention(const Profile& profile, std::vector<Finding>& findings) {
  if (!Matters(profile.stalls.contention)) return;
  const Stall& stall = *profile.stalls.contention;
  findings.push_back(
      {.severity = SeverityOf(stall),
       .what = fmt::format("{} of a step is lost because the devices share one machine",
                           Percent(stall.share.mean)),
       .why =
           "a device computes more slowly beside the others than alone: they share memory bandwidth, caches, "
           "power or cores",
       .advice = "try fewer devices per machine, or check that each has cores of its own",
       .saves_s = stall.seconds.mean});
}

void CheckSkew(const Profile& profile, std::vector<Finding>& findings) {
  for (const char* condition : {"cluster", "node"}) {
    const auto communication = CommunicationOf(profile, condition);
    if (!communication) continue;
    const ConditionInfo& rung = profile.conditions.at(condition);
    // A rank that waits while it still computes loses nothing.
    const double exposed_s = communication->skew_s * (1 - communication->overlap_share);
    const double saves_s = std::min(exposed_s, rung.parts.exposed_communication_s);
    if (saves_s < kWorthAttention * rung.step_time_s.mean) return;
    findings.push_back(
        {.severity = Severity::kWarning,
         .what = fmt::format("ranks wait {} per step for the slowest of them", FormatSeconds(saves_s)),
         .why = "buckets stay longer on the ranks that arrive first, so the ranks are unequally fast",
         .advice = "look for the slow rank in steps.csv: a slower core, less memory, a foreign process",
         .saves_s = saves_s});
    return;
  }
}

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
                      .why = fmt::format("measuring ended ({}) after {} rounds that scatter",
                                         profile.stopped_by, profile.rounds_kept),
                      .advice = "raise --max-time, or rerun on an idle machine",
                      .saves_s = std::nullopt});
}

void CheckPollution(const Profile& profile, const FindingsInput& input, std::vector<Finding>& findings) {
  if (input.never_idle) {
    findings.push_back(
        {.severity = Severity::kProblem,
         .what = "this machine is never idle: other processes disturbed most rounds",
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

void CheckCores(const FindingsInput& input, std::vector<Finding>& findings) {
  if (!input.cores_per_machine || input.devices_per_host <= *input.cores_per_machine) return;
  findings.push_back(
      {.severity = Severity::kProblem,
       .what = fmt::format("{} ranks share {} cores", input.devices_per_host, *input.cores_per_machine),
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

}  // namespace

std::vector<Finding> FindingsFor(const Profile& profile, const FindingsInput& input) {
  std::vector<Finding> findings;
  CheckInterconnect(profile, findings);
  CheckNetwork(profile, findings);
  CheckContention(profile, findings);
  CheckSkew(profile, findings);
  CheckCores(input, findings);
  CheckPollution(profile, input, findings);
  CheckEnd(profile, findings);
  CheckNoise(profile, input, findings);
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::pair(a.saves_s.value_or(0), a.severity) > std::pair(b.saves_s.value_or(0), b.severity);
  });
  return findings;
}

}  // namespace stallscope
