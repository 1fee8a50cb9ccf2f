#include "stallscope/report/summary_lines.h"

#include <fmt/core.h>

#include "stallscope/base/units.h"
#include "stallscope/report/numbers.h"

namespace stallscope {
namespace {

/// The parts that are there, with commas or the like between them.
std::string Join(const std::vector<std::string>& parts, const char* between) {
  std::string joined;
  for (const std::string& part : parts) joined += (joined.empty() ? "" : between) + part;
  return joined;
}

/// A share that is less than all never looks like all.
std::string PartOfDataSet(double share) {
  return share < 1 && share > 0.995 ? "over 99 %" : fmt::format("{:.0f} %", 100 * share);
}

std::string Totals(const Profile& profile) {
  std::vector<std::string> parts;
  if (profile.first_epoch) {
    parts.push_back(
        fmt::format("first epoch: {} a step", FormatSeconds(profile.first_epoch->step_time_s.mean)));
  }
  if (profile.steady_state) {
    const SteadyState& steady = *profile.steady_state;
    const std::string cache = steady.cached_share >= 1 ? "the data set fits into memory"
                                                       : fmt::format("memory holds {} of the data set",
                                                                     PartOfDataSet(steady.cached_share));
    parts.push_back(fmt::format("steady state: {}{} ({})", FormatSeconds(steady.step_time_s.mean),
                                parts.empty() ? " a step" : "", cache));
  }
  return Join(parts, "; ");
}

std::string Limits(const Profile& profile) {
  std::vector<std::string> parts;
  if (profile.loader_limit_s) parts.push_back("loader alone " + FormatSeconds(profile.loader_limit_s->mean));
  if (profile.fetch_limit_s) parts.push_back("storage alone " + FormatSeconds(profile.fetch_limit_s->mean));
  return parts.empty() ? "" : Join(parts, ", ") + " a step";
}

std::string Cache(const Profile& profile, double share) {
  if (share == 0) return "no cache needed";
  const auto& bytes = profile.optimal->cache_bytes;
  const std::string size = bytes ? FormatBytes(static_cast<double>(*bytes)) + " " : "";
  const bool machines = profile.cluster.nodes > 1 && !profile.cluster.emulated;
  return fmt::format("cache {}{}({} of the data set)", size, machines ? "on each machine " : "",
                     PartOfDataSet(share));
}

std::string Optimal(const Profile& profile) {
  if (!profile.optimal) return "";
  std::vector<std::string> parts;
  if (const auto& workers = profile.optimal->workers_per_device) {
    const auto& now = profile.workload.loader_workers;
    parts.push_back(fmt::format("{} worker{} per device{}", *workers, *workers == 1 ? "" : "s",
                                now ? fmt::format(" (now {})", *now) : ""));
  }
  if (const auto& share = profile.optimal->cached_share) parts.push_back(Cache(profile, *share));
  return parts.empty() ? "" : "optimal: " + Join(parts, "; ");
}

std::string Reference(const Profile& profile, const TextStyle& style) {
  if (!profile.reference) return "";
  const Stall& network = profile.reference->network;
  return fmt::format("against one machine with the same devices ({}): network stall {} ({}){}",
                     profile.reference->file, TimeText(network.seconds, style),
                     ShareText(network.share, style),
                     network.distinguishable ? "" : ", indistinguishable from zero");
}

}  // namespace

std::vector<std::string> SummaryLines(const Profile& profile, const TextStyle& style) {
  std::vector<std::string> lines;
  for (std::string line : {Totals(profile), Limits(profile), Optimal(profile), Reference(profile, style)}) {
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace stallscope
