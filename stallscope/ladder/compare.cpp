#include "stallscope/ladder/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "stallscope/base/error.h"
#include "stallscope/stats/independent.h"

namespace stallscope {
namespace {

struct Named {
  const Profile& profile;
  const std::string& name;
};

/// A stall's place in the document. It is the way up to a rung from the nearest present rung below
/// `from`.
struct Place {
  const char* name;
  const char* part_of;
  std::optional<Stall> Stalls::*member;
  const char* from;
  const char* to;
};

constexpr std::array kPlaces = {
    Place{"compute", nullptr, &Stalls::compute, "", ""},
    Place{"interconnect", nullptr, &Stalls::interconnect, "crowd", "node"},
    Place{"contention", "interconnect", &Stalls::contention, "crowd", "crowd"},
    Place{"communication", "interconnect", &Stalls::communication, "node", "node"},
    Place{"network", nullptr, &Stalls::network, "cluster", "cluster"},
    Place{"prep", nullptr, &Stalls::prep, "warm", "warm"},
    Place{"copy", "prep", &Stalls::copy, "warm", "warm"},
    Place{"fetch", nullptr, &Stalls::fetch, "cold", "cold"},
};

std::size_t HeightOf(const std::string& rung) {
  const std::vector<std::string>& names = ConditionNames();
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), rung) - names.begin());
}

/// The highest present rung below `height`, or nothing.
std::optional<std::string> RungBelow(const Profile& profile, std::size_t height) {
  std::optional<std::string> found;
  for (std::size_t i = 0; i < std::min(height, ConditionNames().size()); ++i) {
    if (profile.conditions.contains(ConditionNames()[i])) found = ConditionNames()[i];
  }
  return found;
}

std::string LowestRung(const Profile& profile) {
  for (const std::string& name : ConditionNames()) {
    if (profile.conditions.contains(name)) return name;
  }
  return "nothing";
}

/// Between which rungs a stall lies in this profile, which depends on the rungs that are absent.
std::string SpanOf(const Place& place, const Profile& profile) {
  const std::string lowest = LowestRung(profile);
  if (*place.to == '\0') return lowest;
  const bool has_top = profile.conditions.contains(place.to);
  const std::string top = has_top ? place.to : RungBelow(profile, HeightOf(place.to)).value_or(place.to);
  return RungBelow(profile, HeightOf(place.from)).value_or(lowest) + " to " + top;
}

std::string ReasonOfAbsence(const Profile& profile, const Place& place) {
  for (const AbsentCondition& absent : profile.absent) {
    if (absent.condition == place.to) return " (" + absent.reason + ")";
  }
  return "";
}

ComparedTime NotComparable(ComparedTime time, const std::string& reason) {
  time.verdict = Change::kNotComparable;
  time.reason = reason;
  return time;
}

ComparedTime CompareTimes(const Estimate& baseline, const Estimate& other, double baseline_step_s) {
  ComparedTime time{.baseline_s = baseline, .other_s = other};
  const Estimate difference = DifferenceOf(other, baseline);
  time.difference_s = difference;
  // A document may hold any number; a step without length has no shares.
  if (baseline_step_s > 0) time.relative = ScaledDown(difference, baseline_step_s);
  time.verdict = difference.low > 0    ? Change::kWorse
                 : difference.high < 0 ? Change::kBetter
                                       : Change::kIndistinguishable;
  return time;
}

std::optional<std::string> HighestCommonRung(const Profile& a, const Profile& b) {
  std::optional<std::string> found;
  for (const std::string& name : ConditionNames()) {
    if (a.conditions.contains(name) && b.conditions.contains(name)) found = name;
  }
  return found;
}

bool BothSteady(const Named& baseline, const Named& other) {
  return baseline.profile.steady_state && other.profile.steady_state;
}

void CompareTotals(const Named& baseline, const Named& other, ComparedProfile& result) {
  if (BothSteady(baseline, other)) {
    const Estimate& first = baseline.profile.steady_state->step_time_s;
    result.total_of = "steady_state";
    result.total = CompareTimes(first, other.profile.steady_state->step_time_s, first.mean);
    return;
  }
  result.total_of = HighestCommonRung(baseline.profile, other.profile);
  if (!result.total_of) {
    result.total = NotComparable(
        {}, fmt::format("{} and {} have no rung of the ladder in common", baseline.name, other.name));
    return;
  }
  const Estimate& first = baseline.profile.conditions.at(*result.total_of).step_time_s;
  result.total = CompareTimes(first, other.profile.conditions.at(*result.total_of).step_time_s, first.mean);
}

/// Nothing where neither has the stall.
std::optional<ComparedTime> CompareStall(const Place& place, const Named& baseline, const Named& other,
                                         double baseline_step_s) {
  const bool steady = BothSteady(baseline, other);
  const auto stall_of = [&](const Profile& profile) {
    // A name first: g++ 12 lets (a ? b : c).*member dangle.
    const Stalls& stalls = steady ? profile.steady_state->stalls : profile.stalls;
    return stalls.*place.member;
  };
  const std::optional<Stall> first = stall_of(baseline.profile);
  const std::optional<Stall> second = stall_of(other.profile);
  if (!first && !second) return std::nullopt;
  if (first && second) {
    const std::string first_span = SpanOf(place, baseline.profile);
    const std::string second_span = SpanOf(place, other.profile);
    const ComparedTime time = CompareTimes(first->seconds, second->seconds, baseline_step_s);
    if (first_span == second_span) return time;
    return NotComparable(
        {.baseline_s = time.baseline_s, .other_s = time.other_s},
        fmt::format("it is {} in {}, and {} in {}", first_span, baseline.name, second_span, other.name));
  }
  const Named& without = first ? other : baseline;
  ComparedTime time;
  if (first) time.baseline_s = first->seconds;
  if (second) time.other_s = second->seconds;
  return NotComparable(time,
                       fmt::format("{} has none{}", without.name, ReasonOfAbsence(without.profile, place)));
}

ComparedFile Describe(const Named& named) {
  const Profile& profile = named.profile;
  return {.file = named.name,
          .created = profile.created,
          .host = profile.host.name,
          .model = profile.workload.model,
          .nodes = profile.cluster.nodes,
          .devices_per_node = profile.cluster.devices_per_node};
}

ComparedProfile CompareTwo(const Named& baseline, const Named& other) {
  ComparedProfile result;
  result.profile = Describe(other);
  CompareTotals(baseline, other, result);
  // One denominator for all, so that the shares add up as the seconds do.
  const double step = result.total.baseline_s.value_or(baseline.profile.step_time_s).mean;
  for (const Place& place : kPlaces) {
    const auto time = CompareStall(place, baseline, other, step);
    if (!time) continue;
    result.stalls.push_back({.name = place.name, .time = *time});
    if (place.part_of != nullptr) result.stalls.back().part_of = place.part_of;
  }
  result.notes = WorkloadDifferences(baseline.profile, baseline.name, other.profile, other.name);
  const bool one_steady = baseline.profile.steady_state.has_value() != other.profile.steady_state.has_value();
  if (one_steady && result.total_of) {
    result.notes.push_back(fmt::format("Only {} has a steady state: step times are those of the rung {}.",
                                       baseline.profile.steady_state ? baseline.name : other.name,
                                       *result.total_of));
  }
  return result;
}

}  // namespace

Comparison Compare(const std::vector<Profile>& profiles, const std::vector<std::string>& names) {
  if (profiles.size() < 2 || profiles.size() != names.size()) {
    throw UsageError("there is nothing to compare with",
                     "give two profiles or more; the first is the baseline");
  }
  const Named baseline{profiles.front(), names.front()};
  Comparison comparison;
  comparison.baseline = Describe(baseline);
  for (std::size_t i = 1; i < profiles.size(); ++i) {
    comparison.others.push_back(CompareTwo(baseline, {profiles[i], names[i]}));
  }
  return comparison;
}

}  // namespace stallscope
