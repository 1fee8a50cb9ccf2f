#include "app/commands/profile_job.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "app/engine_path.h"
#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/engine/job_meeting.h"
#include "stallscope/ladder/measure.h"
#include "stallscope/machine/host.h"
#include "stallscope/report/console.h"
#include "stallscope/report/progress.h"
#include "stallscope/report/steps_csv.h"
#include "stallscope/supervise/cpu_sets.h"

namespace stallscope {
namespace {

/// Building a large network takes time, and other machines are started by hand.
constexpr Seconds kUntilReady{900};

/// The cores of one rank. A launcher that pins its ranks has left us only our own already.
std::vector<int> CoresOf(int local_rank, int devices_per_node) {
  return DivideCpus(AllowedCpus(), devices_per_node).sets.at(static_cast<std::size_t>(local_rank));
}

}  // namespace

ProfileJob::ProfileJob(const ProfileOptions& options, const std::vector<std::string>& argv, LaunchPlan& plan)
    : options_(options), argv_(argv), plan_(plan) {}

int ProfileJob::Lead(const std::filesystem::path& folder) {
  const std::filesystem::path engine = FindEngine();
  JobMeeting meeting(plan_, options_.join_timeout, watchdog_, Interrupted());
  Say(fmt::format("profiling {}: {} rank{}, at most {}; results go to {}", options_.WorkloadName(),
                  plan_.world_size, plan_.world_size == 1 ? "" : "s", FormatDuration(options_.max_time),
                  folder.string()));
  RankTeam team(engine, RankStarts(folder / "log", meeting.config(), meeting.address()), signals_, watchdog_);
  const WorkloadFacts facts = WaitUntilReady(team, meeting);
  MeasureOptions measure;
  measure.layout = {.nodes = plan_.nodes, .devices_per_node = plan_.devices_per_node};
  const Rungs rungs = RungsOf(measure.layout);
  measure.conditions = rungs.present;
  measure.tolerance = options_.tolerance;
  measure.max_time_s = options_.max_time.count();
  measure.seed = options_.training.seed;
  measure.cores_per_machine = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  measure.interrupted = Interrupted();

  const MeasureResult measured = Climb(team, measure, folder);
  const int exit_code = ExitCodeOf(measured);
  if (measured.error) {
    team.Kill();
  } else {
    team.Stop(exit_code);
  }
  if (SignalExitCode() && RoundsToUse(measured.rounds).rounds.size() < 2) {
    Say("interrupted before two rounds were finished: there is nothing to report");
    return exit_code;
  }
  const Profile profile = MakeProfile(Origin(facts), measure, rungs, measured);
  const std::string text = ToJson(profile);
  WriteFileAtomically(folder / "profile.json", text);
  WriteJson(options_.output, text);
  if (options_.output.ShowText()) PrintProfile(profile, options_.output.StyleOf(STDOUT_FILENO), std::cout);
  if (measured.error && exit_code == kExitFailed) {
    throw Error(measured.error->what(),
                fmt::format("{}; {} finished rounds are in {}", measured.error->hint, measured.rounds.size(),
                            (folder / "profile.json").string()));
  }
  return exit_code;
}

int ProfileJob::Follow() {
  const std::filesystem::path engine = FindEngine();
  JobMeeting meeting(plan_, options_.join_timeout, watchdog_, Interrupted());
  const TemporaryFolder logs(&watchdog_);
  RankTeam team(engine, RankStarts(logs.path(), meeting.config(), meeting.address()), signals_, watchdog_);
  WaitUntilReady(team, meeting);
  Say(fmt::format("rank {} of {} is ready; rank 0's command reports", plan_.rank, plan_.world_size));
  return team.WaitForStop();
}

std::optional<int> ProfileJob::SignalExitCode() {
  const auto signal = signals_.Read().first();
  return signal ? std::optional(128 + *signal) : std::nullopt;
}

std::function<bool()> ProfileJob::Interrupted() {
  return [this] { return signals_.Read().first().has_value(); };
}

WorkloadFacts ProfileJob::WaitUntilReady(RankTeam& team, const JobMeeting& meeting) {
  try {
    return team.WaitUntilReady(kUntilReady);
  } catch (const Error& e) {
    meeting.Abort(e.what());
    throw;
  }
}

std::vector<RankStart> ProfileJob::RankStarts(const std::filesystem::path& log_folder,
                                              const MeetingConfig& meeting,
                                              const std::string& address) const {
  std::vector<RankStart> starts;
  for (const int local_rank : plan_.local_ranks) {
    RankStart start;
    start.config.rank = plan_.node * plan_.devices_per_node + local_rank;
    start.config.world_size = plan_.world_size;
    start.config.local_rank = local_rank;
    start.config.node = plan_.node;
    start.config.nodes = plan_.nodes;
    start.config.devices_per_node = plan_.devices_per_node;
    start.config.meeting = meeting;
    start.config.interface = options_.interface;
    start.config.address = address;
    start.config.training = options_.training;
    start.cpus = CoresOf(local_rank, plan_.devices_per_node);
    start.log_file = log_folder / fmt::format("rank{}.log", start.config.rank);
    // A log of an earlier run in the same folder would explain the wrong failure.
    std::filesystem::remove(start.log_file);
    starts.push_back(std::move(start));
  }
  return starts;
}

MeasureResult ProfileJob::Climb(RankTeam& team, const MeasureOptions& measure,
                                const std::filesystem::path& folder) {
  StepsCsv steps(folder);
  std::vector<MeasureObserver*> observers = {&steps};
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
                     .sequence_length = facts.sequence_length};
  origin.device = "cpu";
  origin.backend = "gloo";
  return origin;
}

void ProfileJob::Say(const std::string& line) const {
  if (!options_.output.quiet) std::cerr << line << '\n';
}

int ProfileJob::ExitCodeOf(const MeasureResult& measured) {
  return SignalExitCode().value_or(measured.stopped_by == "failed" ? kExitFailed : kExitOk);
}

}  // namespace stallscope
