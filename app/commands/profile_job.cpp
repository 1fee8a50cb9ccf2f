#include "app/commands/profile_job.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/commands/engine_ranks.h"
#include "app/engine_path.h"
#include "app/profile_delivery.h"
#include "app/profile_file.h"
#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/engine/job_meeting.h"
#include "stallscope/ladder/measure.h"
#include "stallscope/ladder/reference.h"
#include "stallscope/ladder/round_journal.h"
#include "stallscope/machine/host.h"
#include "stallscope/machine/memory_room.h"
#include "stallscope/report/progress.h"
#include "stallscope/report/samples_csv.h"
#include "stallscope/report/steps_csv.h"
#include "stallscope/supervise/cpu_sets.h"

namespace stallscope {
namespace {

/// More would decode faster than anybody trains; who wants them says --workers.
constexpr int kMostDefaultWorkers = 8;

}  // namespace

Layout LayoutOf(const LaunchPlan& plan) {
  return {.nodes = plan.nodes, .devices_per_node = plan.devices_per_node, .emulated = plan.emulated};
}

Rungs RungsOfJob(const LaunchPlan& plan, const ProfileOptions& options) {
  const Rungs rungs = RungsOf(LayoutOf(plan), {.given = options.data.has_value(), .evict = options.evict});
  return options.conditions.empty() ? rungs : Choose(rungs, options.conditions);
}

ProfileJob::ProfileJob(const ProfileOptions& options, const std::vector<std::string>& argv, LaunchPlan& plan,
                       const std::optional<DatasetInfo>& dataset)
    : options_(options), argv_(argv), plan_(plan), dataset_(dataset), engine_(FindEngine()) {}

int ProfileJob::Lead(const std::filesystem::path& folder) {
  if (options_.emulate) {
    machines_.emplace(*options_.emulate, options_.data ? options_.data->path : "", watchdog_);
  }
  JobMeeting meeting(plan_, options_.join_timeout, watchdog_, Interrupted());
  Say(options_.output,
      fmt::format("profiling {}: {} rank{}, at most {}; results go to {}", options_.WorkloadName(),
                  plan_.world_size, plan_.world_size == 1 ? "" : "s", FormatDuration(options_.max_time),
                  folder.string()));
  RankTeam team(RankStarts(folder / "log", meeting), signals_, watchdog_);
  const WorkloadFacts facts = WorkloadFactsFromJson(WaitForRanks(team, meeting));
  if (machines_) machines_->LimitDisk();
  const Rungs rungs = RungsOfJob(plan_, options_);
  MeasureOptions measure = MeasureOptionsFor(rungs, folder);
  measure.interrupted = Interrupted();
  ProfileOrigin origin = Origin(facts);

  const MeasureResult measured = Climb(team, measure, folder);
  const int exit_code = ExitCodeOf(measured);
  EndRanks(team, measured, exit_code);
  if (SignalExitCode() && RoundsToUse(measured.rounds).rounds.size() < 2) {
    Say(options_.output, "interrupted before two rounds were finished: there is nothing to report");
    return exit_code;
  }
  Profile profile = MakeProfile(origin, measure, rungs, measured);
  AddReference(profile);
  DeliverProfile(profile, folder, options_);
  if (measured.error && exit_code == kExitFailed) {
    throw Error(
        measured.error->what(),
        fmt::format("{}; {} finished rounds are in {}, go on with them by --resume {}", measured.error->hint,
                    measured.rounds.size(), (folder / "profile.json").string(), folder.string()));
  }
  return exit_code;
}

void ProfileJob::AddReference(Profile& profile) const {
  if (options_.reference.empty()) return;
  try {
    profile.reference = ReferenceNetworkStall(profile, ReadProfileAt(options_.reference), options_.reference);
  } catch (const Error& e) {
    // What was measured is worth more than what it was to be compared with.
    Say(options_.output, fmt::format("warning: --reference is left out: {}; {}", e.what(), e.hint));
  }
}

int ProfileJob::Follow() {
  JobMeeting meeting(plan_, options_.join_timeout, watchdog_, Interrupted());
  const TemporaryFolder logs(&watchdog_);
  RankTeam team(RankStarts(logs.path(), meeting), signals_, watchdog_);
  WaitForRanks(team, meeting);
  Say(options_.output,
      fmt::format("rank {} of {} is ready; rank 0's command reports", plan_.rank, plan_.world_size));
  return team.WaitForStop();
}

std::optional<int> ProfileJob::SignalExitCode() {
  const auto signal = signals_.Read().first();
  return signal ? std::optional(128 + *signal) : std::nullopt;
}

std::function<bool()> ProfileJob::Interrupted() {
  return [this] { return signals_.Read().first().has_value(); };
}

std::vector<RankStart> ProfileJob::RankStarts(const std::filesystem::path& log_folder,
                                              const JobMeeting& meeting) const {
  std::vector<RankStart> starts;
  for (EngineConfig& config : PlacedRanks(plan_, meeting, options_.interface)) {
    config.training = options_.training;
    config.data = options_.data;
    if (config.data) config.data->workers = Workers();
    starts.push_back(StartOfRank(config, plan_, engine_, log_folder));
    if (machines_) machines_->Place(config.node, starts.back().child);
  }
  return starts;
}

int ProfileJob::Workers() const {
  if (options_.data->workers > 0) return options_.data->workers;
  const int ranks = plan_.emulated ? plan_.world_size : plan_.devices_per_node;
  return std::clamp(static_cast<int>(AllowedCpus().size()) / ranks, 1, kMostDefaultWorkers);
}

MeasureOptions ProfileJob::MeasureOptionsFor(const Rungs& rungs, const std::filesystem::path& folder) const {
  MeasureOptions measure;
  measure.layout = LayoutOf(plan_);
  measure.conditions = rungs.present;
  measure.tolerance = options_.tolerance;
  measure.max_time_s = options_.max_time.count();
  measure.seed = options_.training.seed;
  measure.cores_per_machine = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  measure.sample_every_s = options_.sample.count();
  if (dataset_) {
    measure.data = DataPlan{.workers = Workers(),
                            .shape = {.batch = options_.training.batch,
                                      .accumulate = options_.training.accumulate,
                                      .ranks = plan_.world_size,
                                      .seed = options_.training.seed},
                            .samples = static_cast<std::size_t>(dataset_->samples)};
  }
  if (!options_.resume.empty()) measure.earlier = ReadJournal(folder, JobOf(measure));
  return measure;
}

Json ProfileJob::JobOf(const MeasureOptions& measure) const {
  Json job = Json::parse(ToJson(options_.training).dump());
  job["nodes"] = plan_.nodes;
  job["devices_per_node"] = plan_.devices_per_node;
  for (const Condition condition : measure.conditions) job["conditions"].push_back(ConditionName(condition));
  if (options_.data) {
    job["data"] = std::filesystem::absolute(options_.data->path).lexically_normal().string();
    job["workers"] = Workers();
  }
  if (options_.emulate) {
    job["emulate"] = {{"bandwidth", options_.emulate->bandwidth.value_or(BytesPerSecond{}).value},
                      {"disk", options_.emulate->disk.value_or(BytesPerSecond{}).value}};
  }
  return job;
}

MeasureResult ProfileJob::Climb(RankTeam& team, const MeasureOptions& measure,
                                const std::filesystem::path& folder) {
  const bool resumed = !options_.resume.empty();
  StepsCsv steps(folder, resumed);
  RoundJournal journal(folder, JobOf(measure), resumed);
  std::vector<MeasureObserver*> observers = {&steps, &journal};
  std::optional<SamplesCsv> samples;
  if (measure.sample_every_s > 0) observers.push_back(&samples.emplace(folder, resumed));
  std::optional<ProgressPrinter> progress;
  if (!options_.output.quiet) {
    progress.emplace(std::cerr, isatty(STDERR_FILENO) != 0, options_.output.StyleOf(STDERR_FILENO));
    observers.push_back(&*progress);
  }
  ObserverList all(std::move(observers));
  return Measure(team, measure, all);
}

ProfileOrigin ProfileJob::Origin(const WorkloadFacts& facts) const {
  const TrainingConfig& training = options_.training;
  ProfileOrigin origin;
  origin.tool = {.version = STALLSCOPE_VERSION, .torch = facts.torch_version};
  origin.created = UtcNow();
  origin.argv = argv_;
  origin.host = ReadHost(Root{});
  origin.workload = {.model = facts.model,
                     .parameters = facts.parameters,
                     .gradient_tensors = facts.gradient_tensors,
                     .gradient_bytes = facts.gradient_bytes,
                     .layers = facts.layers,
                     .forward_macs = facts.forward_macs,
                     .batch_per_device = training.batch,
                     .accumulate = training.accumulate,
                     .optimizer = training.optimizer,
                     .dtype = training.dtype,
                     .bucket = training.bucket,
                     .image_size = facts.image_size,
                     .sequence_length = facts.sequence_length,
                     .dataset = dataset_};
  if (dataset_) {
    origin.workload.loader_workers = Workers();
    origin.room_bytes = MemoryRoom(Root{});
  }
  if (const auto& emulate = options_.emulate) {
    if (emulate->bandwidth) origin.emulated_bandwidth_bytes_per_s = emulate->bandwidth->value;
    if (emulate->disk) origin.emulated_disk_bytes_per_s = emulate->disk->value;
  }
  origin.device = "cpu";
  origin.backend = "gloo";
  return origin;
}

int ProfileJob::ExitCodeOf(const MeasureResult& measured) {
  return SignalExitCode().value_or(measured.stopped_by == "failed" ? kExitFailed : kExitOk);
}

}  // namespace stallscope
