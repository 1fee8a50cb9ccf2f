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

/// What one of them does not say may be the same.
bool IsOf(const AskedWorkload& found, const AskedWorkload& asked) {
  const auto same = [](const std::optional<int>& one, const std::optional<int>& other) {
    return !one || !other || *one == *other;
  };
  return found.model == asked.model && found.dtype == asked.dtype &&
         same(found.image_size, asked.image_size) && same(found.sequence_length, asked.sequence_length);
}

/// The network's own size, where it is of the zoo.
AskedWorkload UsualSize(const AskedWorkload& asked) {
  try {
    return WorkloadOf(BuildNetwork(asked.model, {}), asked.dtype);
  } catch (const UsageError&) {
    return asked;  // a program of the user's
  }
}

}  // namespace

AskedWorkload WorkloadOf(const Network& network, const std::string& dtype) {
  AskedWorkload workload{network.name, dtype, {}, {}};
  const auto size = static_cast<int>(network.sample_shape.back());
  (network.sample_kind == SampleKind::kTokens ? workload.sequence_length : workload.image_size) = size;
  return workload;
}

AskedWorkload WorkloadOf(const Profile& profile) {
  const auto number = [](const std::optional<std::int64_t>& value) {
    return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
  };
  return {profile.workload.model, PrecisionOf(profile.workload.dtype), number(profile.workload.image_size),
          number(profile.workload.sequence_length)};
}

std::string Describe(const AskedWorkload& workload) {
  std::string text = workload.model;
  if (workload.image_size) text += fmt::format(" at {} pixels", *workload.image_size);
  if (workload.sequence_length) text += fmt::format(" at {} tokens", *workload.sequence_length);
  return fmt::format("{} in {}", text, workload.dtype);
}

bool IsOf(const Profile& profile, const AskedWorkload& asked) {
  return IsOf(WorkloadOf(profile), asked);
}

bool CountsOn(const Profile& profile, const Machine& machine) {
  return !profile.cluster.emulated && (profile.cluster.device != "cpu" || machine.gpus <= 0);
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
    if (!entry.profile || !IsOf(*entry.profile, asked)) continue;
    const std::string& host = entry.profile->host.name;
    const auto named = instances.find(host);
    const Machine* machine = catalog.MachineOrNull(named != instances.end() ? named->second : host);
    if (machine == nullptr || !CountsOn(*entry.profile, *machine)) continue;
    runs.push_back(
        RunFromProfile(*entry.profile, IndexOf(catalog, *machine), entry.path.filename().string()));
  }
  return runs;
}

std::vector<KnownRun> PublishedRuns(const std::vector<Measurement>& rows, const std::string& file,
                                    const Catalog& catalog, const AskedWorkload& asked) {
  const AskedWorkload usual = UsualSize(asked);
  std::vector<KnownRun> runs;
  for (const Measurement& row : rows) {
    if (row.instance.empty() || !row.samples_per_s || !row.batch_per_gpu) continue;
    AskedWorkload found = usual;
    found.model = row.network;
    found.dtype = row.precision.empty() ? "fp32" : row.precision;
    if (row.sequence_length) found.sequence_length = row.sequence_length;
    if (!IsOf(found, asked)) continue;
    // Parameter servers and copies through the host's memory are other times.
    if (!row.sync.empty() && row.sync != "allreduce") continue;
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
