#include <fmt/core.h>

#include <cctype>
#include <utility>
#include <vector>

#include "stallscope/report/console.h"

namespace stallscope {
namespace {

std::string Sentence(const char* waits_for, const Stall& stall) {
  if (!stall.distinguishable) {
    return fmt::format("waiting for {} is indistinguishable from zero ({:.0f} to {:.0f} %)", waits_for,
                       100 * stall.share.low, 100 * stall.share.high);
  }
  if (stall.seconds.mean < 0) {
    return fmt::format(
        "waiting for {} is negative ({:.0f} to {:.0f} %): something else differs between the rungs",
        waits_for, 100 * stall.share.low, 100 * stall.share.high);
  }
  return fmt::format("{:.0f} % of a step waits for {} ({:.0f} to {:.0f} %)", 100 * stall.share.mean,
                     waits_for, 100 * stall.share.low, 100 * stall.share.high);
}

}  // namespace

std::string Verdict(const Profile& profile) {
  // The steady state is what most of a training run looks like.
  const Stalls& stalls = profile.steady_state ? profile.steady_state->stalls : profile.stalls;
  std::string verdict;
  for (const auto& [stall, waits_for] :
       {std::pair(&stalls.interconnect, "the interconnect"), std::pair(&stalls.network, "the network"),
        std::pair(&stalls.prep, "CPU preparation"), std::pair(&stalls.fetch, "the disk")}) {
    if (!*stall) continue;
    verdict += (verdict.empty() ? "" : "; ") + Sentence(waits_for, **stall);
  }
  if (verdict.empty()) return "One rung alone shows no stall.";
  verdict.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(verdict.front())));
  return verdict + ".";
}

}  // namespace stallscope
