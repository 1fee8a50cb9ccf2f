#include "stallscope/recommend/known_runs.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/document/machine_card.h"
#include "stallscope/predict/profiled_workload.h"
#include "stallscope/predict/scaling_model.h"

namespace stallscope {
namespace {

std::size_t IndexOf(const Catalog& catalog, const Machine& machine) {
  return static_cast<std::size_t>(&machine - catalog.machines().data());
}

/// Instances by host, as the machine cards of the store name them.
std::map<std::string, std::string> InstancesOf(const std::vector<StoreEntry>& entries) {
  std::map<std::string, std::string> instances;
  for (const StoreEntry& entry : entries) {
    if (!entry.schema || !entry.schema->starts_with("stallscope.machine/") || !entry.host) continue;
    try {
      const MachineCard card = MachineCardFromJson(ReadFile(entry.path), entry.path.string());
      if (card.cloud && card.cloud->instance) {
        instances.emplace(card.host.name, card.cloud->provider + "/" + *card.cloud->instance);
      }
    } catch (const Error&) {
      continue;  // `store list` says what is wrong with it
    }
  }
  return instances;
}

}  // namespace

bool IsOf(const Profile& profile, const AskedWorkload& asked) {
  const auto same = [](const std::optional<int>& wanted, const std::optional<std::int64_t>& found) {
    return !wanted || !found || *wanted == *found;
  };
  return profile.workload.model == asked.model && PrecisionOf(profile.workload.dtype) == asked.dtype &&
         same(asked.image_size, profile.workload.image_size) &&
         same(asked.sequence_length, profile.workload.sequence_length);
}

KnownRun RunFromProfile(const Profile& profile, std::size_t machine, const std::string& file) {
  KnownRun run;
  run.machine = machine;
  run.nodes = profile.cluster.nodes;
  run.devices = profile.cluster.nodes * profile.cluster.devices_per_node;
  run.batch = BatchOf(profile);
  const Stalls& stalls = profile.steady_state ? profile.steady_state->stalls : profile.stalls;
  run.step_s = profile.steady_state ? profile.steady_state->step_time_s : profile.step_time_s;
  const auto seconds = [](const std::optional<Stall>& stall) {
    return stall ? std::optional(stall->seconds.mean) : std::nullopt;
  };
  run.parts = {seconds(stalls.compute), seconds(stalls.interconnect), seconds(stalls.network),
               seconds(stalls.prep), seconds(stalls.fetch)};
  run.from = fmt::format("{} of {}", file, profile.created);
  return run;
}

std::vector<KnownRun> RunsOfStore(const std::vector<StoreEntry>& entries, const Catalog& catalog,
                                  const AskedWorkload& asked) {
  const std::map<std::string, std::string> instances = InstancesOf(entries);
  std::vector<KnownRun> runs;
  for (const StoreEntry& entry : entries) {
    // A network that was emulated is no machine that can be rented.
    if (!entry.profile || entry.profile->cluster.emulated || !IsOf(*entry.profile, asked)) continue;
    const std::string& host = entry.profile->host.name;
    const auto named = instances.find(host);
    const Machine* machine = catalog.MachineOrNull(named != instances.end() ? named->second : host);
    if (machine == nullptr) continue;
    runs.push_back(
        RunFromProfile(*entry.profile, IndexOf(catalog, *machine), entry.path.filename().string()));
  }
  return runs;
}

std::vector<KnownRun> PublishedRuns(const std::vector<Measurement>& rows, const std::string& file,
                                    const Catalog& catalog, const AskedWorkload& asked) {
  std::vector<KnownRun> runs;
  for (const Measurement& row : rows) {
    if (row.instance.empty() || row.network != asked.model || !row.samples_per_s || !row.batch_per_gpu)
      continue;
    if ((row.precision.empty() ? "fp32" : row.precision) != asked.dtype) continue;
    if (asked.sequence_length && row.sequence_length && asked.sequence_length != row.sequence_length)
      continue;
    const Machine* machine = catalog.MachineOrNull(row.instance);
    const int nodes = row.nodes.value_or(1);
    const int devices = row.total_gpus.value_or(row.gpus_per_node.value_or(1) * nodes);
    // Part of a machine costs the whole: nobody who rents it would leave GPUs idle.
    if (machine == nullptr || devices != nodes * machine->gpus || *row.samples_per_s <= 0) continue;
    const double step_s = *row.batch_per_gpu * devices / *row.samples_per_s;
    runs.push_back({.machine = IndexOf(catalog, *machine),
                    .nodes = nodes,
                    .devices = devices,
                    .batch = static_cast<int>(std::lround(*row.batch_per_gpu)),
                    .step_s = LogNormal(step_s, kRepeatSpread),
                    .parts = {},
                    .basis = StepBasis::kPublished,
                    .from = fmt::format("{} line {}{}", file, row.line,
                                        row.source.empty() ? "" : " (" + row.source + ")")});
  }
  return runs;
}

}  // namespace stallscope
