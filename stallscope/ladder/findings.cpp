#include "stallscope/ladder/findings.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "stallscope/ladder/finding_checks.h"

namespace stallscope {

bool Matters(const std::optional<Stall>& stall) {
  return stall && stall->distinguishable && stall->share.mean >= kWorthAttention;
}

Severity SeverityOf(const Stall& stall) {
  return stall.share.mean >= kDecisive ? Severity::kProblem : Severity::kWarning;
}

const Stalls& LastingStalls(const Profile& profile) {
  return profile.steady_state ? profile.steady_state->stalls : profile.stalls;
}

const ConditionInfo* RungOf(const Profile& profile, const std::string& condition) {
  const auto found = profile.conditions.find(condition);
  return found == profile.conditions.end() ? nullptr : &found->second;
}

std::string SampleNoun(const Profile& profile) {
  const auto& dataset = profile.workload.dataset;
  if (!dataset || dataset->kind == "program") return "sample";
  return dataset->kind == "tokens" ? "sequence" : "image";
}

double SamplesPerStep(const Profile& profile) {
  return static_cast<double>(profile.workload.batch_per_device * profile.workload.accumulate);
}

std::string Percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

std::string Count(std::int64_t number, const std::string& thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

std::vector<Finding> FindingsFor(const Profile& profile, const FindingsInput& input) {
  std::vector<Finding> findings;
  AddCommunicationFindings(profile, findings);
  AddPrepFindings(profile, input, findings);
  AddFetchFindings(profile, input, findings);
  AddLimitFindings(profile, findings);
  AddTrustFindings(profile, input, findings);
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::pair(a.saves_s.value_or(0), a.severity) > std::pair(b.saves_s.value_or(0), b.severity);
  });
  return findings;
}

}  // namespace stallscope
