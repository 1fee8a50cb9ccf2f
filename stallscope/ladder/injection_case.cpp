#include "stallscope/ladder/injection_case.h"

#include <fmt/format.h>

#include <algorithm>

#include "stallscope/base/units.h"

namespace stallscope {
namespace {

constexpr double kFrameBytes = 1514;
constexpr double kPayloadBytes = 1448;

/// Loading at this multiple of a cluster step is no longer hidden.
constexpr double kBinds = 1.5;

double SlowedLoader(const InjectionCase& injected, const InjectionBasis& basis) {
  return injected.inject.least_sample_s * basis.samples_per_step;
}

/// What the storage needs for a step's files; 0 where it is not slowed.
double SlowedStorage(const InjectionCase& injected, const InjectionBasis& basis) {
  double seconds = 0;
  if (injected.inject.storage_bytes_per_s > 0)
    seconds = std::max(seconds, basis.step_bytes / injected.inject.storage_bytes_per_s);
  if (injected.disk_bytes_per_s)
    seconds = std::max(seconds, basis.ranks * basis.step_device_bytes / *injected.disk_bytes_per_s);
  return seconds;
}

double LongerOnTheWire(const InjectionCase& injected, const InjectionBasis& basis) {
  if (!injected.network_bytes_per_s) return 0;
  return basis.WireTime(*injected.network_bytes_per_s) - basis.WireTime(basis.network_bytes_per_s);
}

std::string RateText(double bytes_per_s) {
  return FormatBytes(bytes_per_s) + "/s";
}

}  // namespace

double BytesOnWire(double gradient_bytes, int ranks) {
  // A ring sends every gradient twice but for its own part; two ranks each send their gradients once.
  return gradient_bytes * 2 * (ranks - 1) / ranks * kFrameBytes / kPayloadBytes;
}

RoundTimes ExpectedTimes(const InjectionCase& injected, const InjectionBasis& basis,
                         const RoundTimes& baseline, bool slow_rank_ran_solo) {
  const double delay = injected.inject.slow_rank_s;
  RoundTimes expected = baseline;
  if (slow_rank_ran_solo) expected[Condition::kSolo] += delay;
  expected[Condition::kCrowd] += delay / basis.ranks;
  if (injected.node_bytes_per_s) expected[Condition::kNode] = baseline.at(Condition::kCluster);
  expected[Condition::kNode] += delay;
  expected[Condition::kCluster] += delay + LongerOnTheWire(injected, basis);
  double& warm = expected[Condition::kWarm];
  warm = std::max({warm, expected[Condition::kCluster], SlowedLoader(injected, basis)});
  double& cold = expected[Condition::kCold];
  cold = std::max({cold, warm, SlowedStorage(injected, basis)});
  return expected;
}

std::string ArithmeticOf(const InjectionCase& injected, const InjectionBasis& basis) {
  std::vector<std::string> parts;
  if (const double delay = injected.inject.slow_rank_s; delay > 0) {
    parts.push_back(fmt::format("node and cluster + {}, solo and crowd + {} / {}", FormatSeconds(delay),
                                FormatSeconds(delay), basis.ranks));
  }
  if (injected.node_bytes_per_s) parts.push_back("node = cluster of the baseline");
  if (injected.network_bytes_per_s) {
    parts.push_back(fmt::format("cluster + {} / {} - {} / {} = + {}", FormatBytes(basis.bytes_on_wire),
                                RateText(*injected.network_bytes_per_s), FormatBytes(basis.bytes_on_wire),
                                RateText(basis.network_bytes_per_s),
                                FormatSeconds(LongerOnTheWire(injected, basis))));
  }
  if (const double loader = SlowedLoader(injected, basis); loader > 0) {
    parts.push_back(fmt::format("warm >= {:.0f} x {} = {}", basis.samples_per_step,
                                FormatSeconds(injected.inject.least_sample_s), FormatSeconds(loader)));
  }
  if (const double storage = SlowedStorage(injected, basis); storage > 0) {
    const bool by_disk = injected.disk_bytes_per_s.has_value();
    parts.push_back(
        fmt::format("cold >= {} / {} = {}",
                    FormatBytes(by_disk ? basis.ranks * basis.step_device_bytes : basis.step_bytes),
                    RateText(by_disk ? *injected.disk_bytes_per_s : injected.inject.storage_bytes_per_s),
                    FormatSeconds(storage)));
  }
  return parts.empty() ? "as measured" : fmt::format("{}", fmt::join(parts, "; "));
}

std::vector<InjectionCase> CasesFor(const InjectionBasis& basis, double cluster_step_s, bool limits_disk) {
  const double bound_s = kBinds * cluster_step_s;
  const double half_rate = basis.network_bytes_per_s / 2;
  const double least_sample_s = bound_s / basis.samples_per_step;
  const double storage_rate = basis.step_bytes / bound_s;
  const double delay_s = cluster_step_s / 2;

  std::vector<InjectionCase> cases;
  const auto add = [&](const std::string& name, const std::string& what) -> InjectionCase& {
    return cases.emplace_back(InjectionCase{.name = name, .what = what});
  };
  add("decode", fmt::format("a worker takes {} for a sample", FormatSeconds(least_sample_s)))
      .inject.least_sample_s = least_sample_s;
  add("storage", fmt::format("each rank reads {}, in its own process", RateText(storage_rate)))
      .inject.storage_bytes_per_s = storage_rate;
  if (limits_disk) {
    const double disk_rate = basis.ranks * basis.step_device_bytes / bound_s;
    add("disk", fmt::format("a cgroup reads {}", RateText(disk_rate))).disk_bytes_per_s = disk_rate;
  }
  add("node link", "the link inside the machine is as slow as the network").node_bytes_per_s =
      basis.network_bytes_per_s;
  add("network", fmt::format("the network has {}", RateText(half_rate))).network_bytes_per_s = half_rate;
  add("slow rank", fmt::format("the last rank sleeps {} a step", FormatSeconds(delay_s))).inject.slow_rank_s =
      delay_s;

  InjectionCase& all = add("all together", "all of these but the cgroup at once");
  all.node_bytes_per_s = basis.network_bytes_per_s;
  all.network_bytes_per_s = half_rate;
  all.inject.slow_rank_s = delay_s;
  const double cluster_s = cluster_step_s + delay_s + LongerOnTheWire(all, basis);
  all.inject.least_sample_s = cluster_s * 1.25 / basis.samples_per_step;
  all.inject.storage_bytes_per_s = basis.step_bytes / (cluster_s * kBinds);
  return cases;
}

}  // namespace stallscope
