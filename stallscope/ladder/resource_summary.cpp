#include "stallscope/ladder/resource_summary.h"

#include <algorithm>
#include <array>
#include <map>

#include "stallscope/stats/mean.h"

namespace stallscope {
namespace {

using InfoField = std::optional<double> ResourceInfo::*;
using SampleField = std::optional<double> ResourceSample::*;

struct FieldPair {
  InfoField info;
  SampleField sample;
};

/// Counters since the start of the machine, which become rates.
constexpr std::array kCounters = {
    FieldPair{&ResourceInfo::cpu_busy_share, &ResourceSample::cpu_busy_s},
    FieldPair{&ResourceInfo::disk_read_bytes_per_s, &ResourceSample::disk_read_bytes},
    FieldPair{&ResourceInfo::disk_written_bytes_per_s, &ResourceSample::disk_written_bytes},
    FieldPair{&ResourceInfo::network_received_bytes_per_s, &ResourceSample::network_received_bytes},
    FieldPair{&ResourceInfo::network_sent_bytes_per_s, &ResourceSample::network_sent_bytes},
};

/// What is true of one moment, and is averaged.
constexpr std::array kLevels = {
    FieldPair{&ResourceInfo::memory_used_bytes, &ResourceSample::memory_used_bytes},
    FieldPair{&ResourceInfo::page_cache_bytes, &ResourceSample::page_cache_bytes},
    FieldPair{&ResourceInfo::gpu_busy_share, &ResourceSample::gpu_busy_share},
    FieldPair{&ResourceInfo::gpu_memory_bytes, &ResourceSample::gpu_memory_bytes},
};

template <typename Visit>
void ForEachInfoField(Visit visit) {
  for (const FieldPair& field : kCounters) visit(field.info);
  for (const FieldPair& field : kLevels) visit(field.info);
}

/// When a machine's ranks trained.
struct Window {
  double begin_s = 1e300;
  double end_s = -1e300;

  bool Holds(double time_s) const { return begin_s <= time_s && time_s <= end_s; }
};

/// By node; all under 0 on one host.
std::map<int, Window> WindowsOf(const BlockResult& block, std::size_t first_step, bool one_host) {
  std::map<int, Window> windows;
  for (const RankBlock& rank : block.ranks) {
    if (rank.steps.size() <= first_step) continue;
    Window& window = windows[one_host ? 0 : rank.node];
    window.begin_s = std::min(window.begin_s, rank.steps[first_step].start_s);
    window.end_s = std::max(window.end_s, rank.end_s);
  }
  return windows;
}

std::optional<double> RateOf(const std::vector<const ResourceSample*>& samples, SampleField field) {
  const auto has_it = [&](const ResourceSample* sample) { return (sample->*field).has_value(); };
  const auto first = std::find_if(samples.begin(), samples.end(), has_it);
  if (first == samples.end()) return std::nullopt;
  const ResourceSample* last = *std::find_if(samples.rbegin(), samples.rend(), has_it);
  const double time_s = last->time_s - (*first)->time_s;
  const double growth = *(last->*field) - *((*first)->*field);
  if (time_s <= 0 || growth < 0) return std::nullopt;
  return growth / time_s;
}

std::optional<double> LevelOf(const std::vector<const ResourceSample*>& samples, SampleField field) {
  std::vector<double> values;
  for (const ResourceSample* sample : samples) {
    if (sample->*field) values.push_back(*(sample->*field));
  }
  if (values.empty()) return std::nullopt;
  return MeanOf(values);
}

}  // namespace

std::optional<ResourceInfo> MeanOfResources(const std::vector<ResourceInfo>& infos) {
  ResourceInfo mean;
  bool any = false;
  ForEachInfoField([&](InfoField field) {
    std::vector<double> values;
    for (const ResourceInfo& info : infos) {
      if (info.*field) values.push_back(*(info.*field));
    }
    if (values.empty()) return;
    mean.*field = MeanOf(values);
    any = true;
  });
  if (!any) return std::nullopt;
  return mean;
}

std::optional<ResourceInfo> ResourcesOf(const BlockResult& block, std::size_t first_step, bool one_host,
                                        std::optional<int> cores_per_machine) {
  const std::map<int, Window> windows = WindowsOf(block, first_step, one_host);
  std::vector<ResourceInfo> machines;
  for (const RankBlock& rank : block.ranks) {
    const auto window = windows.find(one_host ? 0 : rank.node);
    if (window == windows.end()) continue;
    std::vector<const ResourceSample*> samples;
    for (const ResourceSample& sample : rank.samples) {
      if (window->second.Holds(sample.time_s)) samples.push_back(&sample);
    }
    if (samples.empty()) continue;
    ResourceInfo& machine = machines.emplace_back();
    for (const FieldPair& field : kCounters) machine.*field.info = RateOf(samples, field.sample);
    for (const FieldPair& field : kLevels) machine.*field.info = LevelOf(samples, field.sample);
    // So far it is in cores.
    const bool share = machine.cpu_busy_share && cores_per_machine && *cores_per_machine > 0;
    if (share) *machine.cpu_busy_share /= *cores_per_machine;
    if (!share) machine.cpu_busy_share.reset();
  }
  return MeanOfResources(machines);
}

}  // namespace stallscope
