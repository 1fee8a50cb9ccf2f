#include <fmt/core.h>

#include <algorithm>

#include "stallscope/base/units.h"
#include "stallscope/ladder/finding_checks.h"

namespace stallscope {
namespace {

/// "each step reduces 46.8 MB of gradients in 62 tensors, and the backward pass hides 40 % of the time that
/// takes; bucket 2 of 3 (26.2 MB) keeps the step waiting longest, 31 ms".
std::string GradientsSentence(const Profile& profile, const ConditionInfo* rung) {
  std::string sentence = fmt::format("each step reduces {} of gradients in {}",
                                     FormatBytes(static_cast<double>(profile.workload.gradient_bytes)),
                                     Count(profile.workload.gradient_tensors, "tensor"));
  if (rung == nullptr) return sentence;
  if (rung->communication) {
    sentence += fmt::format(", and the backward pass hides {} of the time that takes",
                            Percent(rung->communication->overlap_share));
  }
  const auto& buckets = rung->buckets;
  const auto longest =
      std::max_element(buckets.begin(), buckets.end(),
                       [](const BucketInfo& a, const BucketInfo& b) { return a.exposed_s < b.exposed_s; });
  if (buckets.size() > 1 && longest->exposed_s > 0) {
    sentence += fmt::format(
        "; bucket {} of {} ({}) keeps the step waiting longest, {}", longest - buckets.begin() + 1,
        buckets.size(), FormatBytes(static_cast<double>(longest->bytes)), FormatSeconds(longest->exposed_s));
  }
  return sentence;
}

/// What to try with --bucket, by what the measured buckets were like.
std::string BucketAdvice(const Profile& profile, const ConditionInfo* rung) {
  const std::size_t buckets = rung == nullptr ? 0 : rung->buckets.size();
  if (buckets == 1 && profile.workload.gradient_tensors > 1) {
    return "use a smaller --bucket, or tensor: all gradients are in one bucket, which cannot leave before "
           "the backward pass ends";
  }
  return fmt::format("compare --bucket {} with other sizes, tensor and model",
                     profile.workload.bucket.empty() ? "25MiB" : profile.workload.bucket);
}

constexpr const char* kMoreSamplesPerReduction =
    "use a larger --batch or --accumulate, so that one reduction serves more samples";

void CheckInterconnect(const Profile& profile, std::vector<Finding>& findings) {
  const Stalls& stalls = LastingStalls(profile);
  // Without crowd the communication is only known together with contention.
  const std::optional<Stall>& stall = stalls.communication ? stalls.communication : stalls.interconnect;
  const ConditionInfo* node = RungOf(profile, "node");
  // Without node all of it is contention.
  if (!Matters(stall) || node == nullptr) return;
  findings.push_back(
      {.severity = SeverityOf(*stall),
       .what = fmt::format("{} of a step waits for gradients of other devices in the machine",
                           Percent(stall->share.mean)),
       .why = GradientsSentence(profile, node),
       .advice = fmt::format("{}; then {}", kMoreSamplesPerReduction, BucketAdvice(profile, node)),
       .saves_s = stall->seconds.mean});
}

void CheckNetwork(const Profile& profile, std::vector<Finding>& findings) {
  const std::optional<Stall>& stall = LastingStalls(profile).network;
  if (!Matters(stall)) return;
  const ConditionInfo* cluster = RungOf(profile, "cluster");
  findings.push_back(
      {.severity = SeverityOf(*stall),
       .what = fmt::format("{} of a step waits for gradients of other machines", Percent(stall->share.mean)),
       .why = GradientsSentence(profile, cluster),
       .advice = fmt::format("prefer fewer and larger machines or a faster network; else {}; then {}",
                             kMoreSamplesPerReduction, BucketAdvice(profile, cluster)),
       .saves_s = stall->seconds.mean});
}

void CheckContention(const Profile& profile, std::vector<Finding>& findings) {
  const std::optional<Stall>& stall = LastingStalls(profile).contention;
  if (!Matters(stall)) return;
  findings.push_back(
      {.severity = SeverityOf(*stall),
       .what = fmt::format("{} of a step is lost because the devices share one machine",
                           Percent(stall->share.mean)),
       .why =
           "a device computes more slowly beside the others than alone: they share memory bandwidth, caches, "
           "power or cores",
       .advice = "try fewer devices per machine, or check that each has cores of its own",
       .saves_s = stall->seconds.mean});
}

void CheckSkew(const Profile& profile, std::vector<Finding>& findings) {
  for (const char* condition : {"cluster", "node"}) {
    const ConditionInfo* rung = RungOf(profile, condition);
    if (rung == nullptr || !rung->communication) continue;
    // A rank that waits while it still computes loses nothing.
    const double exposed_s = rung->communication->skew_s * (1 - rung->communication->overlap_share);
    const double saves_s = std::min(exposed_s, rung->parts.exposed_communication_s);
    if (saves_s < kWorthAttention * rung->step_time_s.mean || saves_s <= 0) return;
    findings.push_back(
        {.severity = Severity::kWarning,
         .what = fmt::format("ranks wait {} per step for the slowest of them", FormatSeconds(saves_s)),
         .why = "buckets stay longer on the ranks that arrive first, so the ranks are unequally fast",
         .advice = "look for the slow rank in steps.csv: a slower core, less memory, a foreign process",
         .saves_s = saves_s});
    return;
  }
}

}  // namespace

void AddCommunicationFindings(const Profile& profile, std::vector<Finding>& findings) {
  CheckInterconnect(profile, findings);
  CheckNetwork(profile, findings);
  CheckContention(profile, findings);
  CheckSkew(profile, findings);
}

}  // namespace stallscope
