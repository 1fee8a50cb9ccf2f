#include "stallscope/ladder/optimal_loading.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stallscope {
namespace {

std::optional<int> FewestWorkers(const Profile& profile) {
  const std::optional<double> work_s = OneWorkersTime(profile);
  const std::optional<double> step_s = StepWithoutLoading(profile);
  if (!work_s || !step_s || *step_s <= 0) return std::nullopt;
  const double fewest = std::max(1.0, std::ceil(*work_s / *step_s));
  if (!(fewest < std::numeric_limits<int>::max())) return std::nullopt;
  const int workers = static_cast<int>(fewest);
  // The division above may round up past a whole number.
  return workers > 1 && *work_s / (workers - 1) <= *step_s ? workers - 1 : workers;
}

/// The smallest c in [0, 1] with (1 - c) * storage + loader <= step: a worker reads, then decodes.
double SmallestShare(double storage_s, double loader_s, double step_s) {
  const double left_for_storage_s = step_s - loader_s;
  if (left_for_storage_s < 0) return 1;  // the loader is too slow already, so every miss hurts
  if (storage_s <= left_for_storage_s) return 0;
  return std::clamp(1 - left_for_storage_s / storage_s, 0.0, 1.0);
}

}  // namespace

std::optional<double> StepWithoutLoading(const Profile& profile) {
  for (const char* rung : {"cluster", "node", "solo"}) {
    const auto found = profile.conditions.find(rung);
    if (found != profile.conditions.end()) return found->second.step_time_s.mean;
  }
  return std::nullopt;
}

std::optional<double> OneWorkersTime(const Profile& profile) {
  if (!profile.loader) return std::nullopt;
  return static_cast<double>(profile.workload.batch_per_device * profile.workload.accumulate) *
         (profile.loader->read_s + profile.loader->decode_s);
}

std::optional<OptimalLoading> OptimalLoadingFor(const Profile& profile) {
  OptimalLoading optimal;
  optimal.workers_per_device = FewestWorkers(profile);
  const auto warm = profile.conditions.find("warm");
  if (profile.fetch_limit_s && profile.loader_limit_s && warm != profile.conditions.end()) {
    optimal.cached_share = SmallestShare(profile.fetch_limit_s->mean, profile.loader_limit_s->mean,
                                         warm->second.step_time_s.mean);
  }
  if (optimal.cached_share && profile.workload.dataset) {
    // Every machine reads random parts of the whole data set, so each needs the share of the whole.
    optimal.cache_bytes = static_cast<std::int64_t>(
        std::ceil(*optimal.cached_share * static_cast<double>(profile.workload.dataset->bytes)));
  }
  if (!optimal.workers_per_device && !optimal.cached_share) return std::nullopt;
  return optimal;
}

}  // namespace stallscope
