#include <fmt/core.h>

#include "stallscope/base/units.h"
#include "stallscope/ladder/finding_checks.h"

namespace stallscope {
namespace {

/// A limit surely above the step without the network, so that the network hides it today.
bool WouldBind(const Estimate& limit, const ConditionInfo& without_network) {
  return limit.low > without_network.step_time_s.high;
}

Finding FasterNetworkIsLimited(double limit_s, const char* by, const ConditionInfo& without_network,
                               const char* advice) {
  return {.severity = Severity::kInfo,
          .what = fmt::format("a faster network would not help beyond {} a step", FormatSeconds(limit_s)),
          .why = fmt::format("{} alone needs that long, which waiting for the network hides today; without "
                             "the network a step would take {}",
                             by, FormatSeconds(without_network.step_time_s.mean)),
          .advice = advice,
          .saves_s = std::nullopt};
}

}  // namespace

void AddLimitFindings(const Profile& profile, std::vector<Finding>& findings) {
  const Stalls& stalls = LastingStalls(profile);
  const ConditionInfo* node = RungOf(profile, "node");
  const ConditionInfo* below = node != nullptr ? node : RungOf(profile, "solo");
  if (below == nullptr || !Matters(stalls.network)) return;
  if (profile.loader_limit_s && !Matters(stalls.prep) && WouldBind(*profile.loader_limit_s, *below)) {
    findings.push_back(FasterNetworkIsLimited(profile.loader_limit_s->mean, "the loader", *below,
                                              "speed up the loader before paying for a faster network"));
  }
  if (!profile.fetch_limit_s || Matters(stalls.fetch)) return;
  // Files that are in memory cost the storage nothing.
  const double missed = profile.steady_state ? 1 - profile.steady_state->cached_share : 1;
  const Estimate& whole = *profile.fetch_limit_s;
  const Estimate limit = {
      .mean = missed * whole.mean, .low = missed * whole.low, .high = missed * whole.high};
  if (WouldBind(limit, *below)) {
    findings.push_back(
        FasterNetworkIsLimited(limit.mean, "the storage", *below,
                               "cache more or use faster storage before paying for a faster network"));
  }
}

}  // namespace stallscope
