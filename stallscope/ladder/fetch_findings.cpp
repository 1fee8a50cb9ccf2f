#include <fmt/core.h>

#include "stallscope/base/units.h"
#include "stallscope/ladder/finding_checks.h"
#include "stallscope/ladder/optimal_loading.h"

namespace stallscope {
namespace {

std::string Size(std::int64_t bytes) {
  return FormatBytes(static_cast<double>(bytes));
}

/// "memory holds 40 % of the 170 GB data set (room for 68 GB)"; empty where that is not known.
std::string WhatMemoryHolds(const Profile& profile) {
  if (!profile.steady_state) return "";
  const SteadyState& steady = *profile.steady_state;
  const auto& dataset = profile.workload.dataset;
  const std::string set = dataset ? Size(dataset->bytes) + " data set" : "data set";
  const std::string room = steady.room_bytes ? fmt::format(" (room for {})", Size(*steady.room_bytes)) : "";
  return steady.cached_share >= 1
             ? fmt::format("the {} fits into the memory of each machine{}", set, room)
             : fmt::format("memory holds {} of the {}{}", Percent(steady.cached_share), set, room);
}

/// What would keep a step from waiting for the disk.
class FetchAdvice {
 public:
  FetchAdvice(const Profile& profile, const FindingsInput& input)
      : profile_(profile), input_(input), warm_(RungOf(profile, "warm")) {}

  std::string Why() const {
    std::string why = WhatMemoryHolds(profile_);
    if (profile_.fetch_limit_s && warm_ != nullptr) {
      why += fmt::format(
          "{}the storage alone needs {} for the files of a step, which takes {} with files in memory",
          why.empty() ? "" : "; ", FormatSeconds(profile_.fetch_limit_s->mean),
          FormatSeconds(warm_->step_time_s.mean));
    }
    return why.empty() ? "training is slower with files that are not in memory than with files that are"
                       : why;
  }

  std::string Advice() const {
    const std::string cache = Cache();
    const std::string storage = Storage();
    if (cache.empty() && storage.empty()) return "keep more of the data set in memory, or use faster storage";
    return cache + (cache.empty() || storage.empty() ? "" : "; or ") + storage;
  }

 private:
  std::string Cache() const {
    const auto optimal = OptimalLoadingFor(profile_);
    if (!optimal || !optimal->cache_bytes || *optimal->cache_bytes == 0) return "";
    const auto room = profile_.steady_state ? profile_.steady_state->room_bytes : std::nullopt;
    // What there is room for is in memory already, and did not suffice.
    if (room && *optimal->cache_bytes <= *room) return "";
    return fmt::format("keep {}{} of the data set in memory: {} on each machine{}",
                       *optimal->cached_share < 1 ? "at least " : "", Percent(*optimal->cached_share),
                       Size(*optimal->cache_bytes),
                       room ? fmt::format(", which has room for {}", Size(*room)) : "");
  }

  std::string Storage() const {
    if (!profile_.fetch_limit_s || warm_ == nullptr || warm_->step_time_s.mean <= 0) return "";
    const double storage_s = profile_.fetch_limit_s->mean;
    const double step_s = warm_->step_time_s.mean;
    if (storage_s <= step_s) {
      return "use more --workers, so that some read while others decode: the storage alone keeps up";
    }
    if (!profile_.loader) return "use faster storage";
    const double bytes = SamplesPerStep(profile_) * input_.devices_per_host * profile_.loader->bytes;
    return fmt::format("use storage that gives each machine at least {}/s (it gave {}/s)",
                       FormatBytes(bytes / step_s), FormatBytes(bytes / storage_s));
  }

  const Profile& profile_;
  const FindingsInput& input_;
  const ConditionInfo* warm_;
};

void AddLastingFetch(const Profile& profile, const FindingsInput& input, const Stall& stall,
                     std::vector<Finding>& findings) {
  const FetchAdvice advice(profile, input);
  findings.push_back({.severity = SeverityOf(stall),
                      .what = fmt::format("{} of a step waits for the disk", Percent(stall.share.mean)),
                      .why = advice.Why(),
                      .advice = advice.Advice(),
                      .saves_s = stall.seconds.mean});
}

/// How much longer the first epoch takes, in words; empty where the number of its steps is not known.
std::string FirstEpochsCost(const Profile& profile, const Stall& stall) {
  const int devices = profile.cluster.nodes * profile.cluster.devices_per_node;
  const double samples_per_step = SamplesPerStep(profile) * devices;
  if (!profile.workload.dataset || samples_per_step <= 0) return "";
  const double steps = static_cast<double>(profile.workload.dataset->samples) / samples_per_step;
  const double seconds = steps * stall.seconds.mean;
  return seconds < 10 ? FormatSeconds(seconds) : FormatDuration(Seconds(seconds));
}

void AddFirstEpochFetch(const Profile& profile, const Stall& stall, std::vector<Finding>& findings) {
  // Several machines deal the samples anew in every epoch, so each meets files that it has not read.
  const bool machines = profile.cluster.nodes > 1 && !profile.cluster.emulated;
  const std::string cost = FirstEpochsCost(profile, stall);
  std::string what =
      machines ? "only the first epochs wait for the disk" : "only the first epoch waits for the disk";
  if (!cost.empty()) what += machines ? ", the first of them for " + cost : ", for " + cost + " in all";
  findings.push_back(
      {.severity = Severity::kInfo,
       .what = what,
       .why = fmt::format("{}, and a step waits {} for files that are not in it", WhatMemoryHolds(profile),
                          FormatSeconds(stall.seconds.mean)),
       .advice = "nothing needs to be done for long runs; before a short one, read all files once",
       .saves_s = std::nullopt});
}

}  // namespace

void AddFetchFindings(const Profile& profile, const FindingsInput& input, std::vector<Finding>& findings) {
  const std::optional<Stall>& lasting = LastingStalls(profile).fetch;
  if (Matters(lasting)) {
    AddLastingFetch(profile, input, *lasting, findings);
  } else if (profile.steady_state && Matters(profile.stalls.fetch)) {
    AddFirstEpochFetch(profile, *profile.stalls.fetch, findings);
  }
}

}  // namespace stallscope
