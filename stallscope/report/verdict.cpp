#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <optional>
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

struct NamedStall {
  const Stall* stall;
  const char* waits_for;
};

/// Surely there and worth a wait; everything else comes after these.
bool IsWait(const Stall& stall) {
  return stall.distinguishable && stall.seconds.mean > 0;
}

bool Before(const NamedStall& a, const NamedStall& b) {
  return std::pair(IsWait(*a.stall), a.stall->seconds.mean) >
         std::pair(IsWait(*b.stall), b.stall->seconds.mean);
}

/// Whether no step after the first epoch reads from the disk.
bool AllInMemory(const Profile& profile) {
  return profile.steady_state && profile.steady_state->cached_share >= 1;
}

std::vector<NamedStall> BySize(const Profile& profile) {
  // The steady state is what most of a training run looks like.
  const Stalls& stalls = profile.steady_state ? profile.steady_state->stalls : profile.stalls;
  std::vector<NamedStall> sorted;
  const auto add = [&](const std::optional<Stall>& stall, const char* waits_for) {
    if (stall) sorted.push_back({&*stall, waits_for});
  };
  add(stalls.interconnect, "the interconnect");
  add(stalls.network, "the network");
  add(stalls.prep, "CPU preparation");
  if (!AllInMemory(profile)) add(stalls.fetch, "the disk");
  std::stable_sort(sorted.begin(), sorted.end(), Before);
  return sorted;
}

}  // namespace

std::string Verdict(const Profile& profile) {
  std::string verdict;
  const auto say = [&](const std::string& sentence) { verdict += (verdict.empty() ? "" : "; ") + sentence; };
  for (const NamedStall& named : BySize(profile)) say(Sentence(named.waits_for, *named.stall));
  if (AllInMemory(profile) && profile.stalls.fetch && IsWait(*profile.stalls.fetch)) {
    say(fmt::format("the first epoch also waits for the disk ({:.0f} % of its steps' time)",
                    100 * profile.stalls.fetch->share.mean));
  }
  if (verdict.empty()) return "One rung alone shows no stall.";
  verdict.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(verdict.front())));
  return verdict + ".";
}

}  // namespace stallscope
