#include "app/commands/run_job.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/commands/engine_ranks.h"
#include "app/profile_delivery.h"
#include "stallscope/base/clock.h"
#include "stallscope/base/environment.h"
#include "stallscope/base/error.h"
#include "stallscope/engine/job_meeting.h"
#include "stallscope/hook/hook_files.h"
#include "stallscope/machine/host.h"
#include "stallscope/machine/memory_room.h"
#include "stallscope/report/progress.h"
#include "stallscope/report/steps_csv.h"

namespace stallscope {
namespace {

/// Importing, reading data and compiling can take long; ranks that live say so.
constexpr Seconds kUntilReady{1800};
/// A rank of Python holds its interpreter's lock at times, and is silent meanwhile.
constexpr RankTeam::Limits kHookLimits{.first_heartbeat = Seconds{600},
                                       .heartbeat = Seconds{120},
                                       .interrupt = Seconds{10},
                                       .stop = Seconds{20}};
/// Fewer launches say nothing about how launches differ.
constexpr int kLeastLaunches = 3;
/// Of three launches these are more than the eight that an interval wants.
constexpr int kRoundsOfLaunch = 4;
/// Of the time, for one rank alone: one rung of six.
constexpr double kSoloShare = 0.15;

std::string DataText(const RunOptions& options) {
  return options.data.empty() ? "what its loaders open" : fmt::format("{}", fmt::join(options.data, ", "));
}

/// However precise they are.
void FixRounds(MeasureOptions& measure, int rounds) {
  measure.min_rounds = rounds + 1;
  measure.max_rounds = rounds;
}

RankTeam::Limits LimitsOf(const RunOptions& options) {
  RankTeam::Limits limits = kHookLimits;
  limits.progress = options.timeout;
  return limits;
}

constexpr const char* kLoopback = "127.0.0.1";

bool IsLoopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

/// `node` reduces over links that are not shaped, the rungs above over those that are.
class EmulatedRunner : public BlockRunner {
 public:
  EmulatedRunner(BlockRunner& inner, EmulatedMachines* machines, std::optional<BytesPerSecond> rate)
      : inner_(inner), machines_(machines), rate_(rate) {}

  BlockResult Run(const BlockRequest& request) override {
    const bool shaped = request.sync == Sync::kCluster;
    if (machines_ != nullptr && rate_ && shaped != shaped_) {
      machines_->network().SetRate(shaped ? rate_ : std::nullopt);
      shaped_ = shaped;
    }
    return inner_.Run(request);
  }

 private:
  BlockRunner& inner_;
  EmulatedMachines* machines_;
  std::optional<BytesPerSecond> rate_;
  bool shaped_ = true;
};

/// How much the loaders read for a sample.
class BytesObserver : public MeasureObserver {
 public:
  void OnBlock(const MeasuredBlock& block) override {
    for (const RankBlock& rank : block.result.ranks) {
      if (!rank.input || !rank.input->verified) continue;
      bytes += static_cast<double>(rank.input->bytes_taken);
      samples += static_cast<double>(rank.input->samples);
    }
  }
  double bytes = 0;
  double samples = 0;
};

}  // namespace

RunJob::RunJob(const RunOptions& options, const std::vector<std::string>& argv, const Program& program,
               const LaunchPlan& plan)
    : options_(options), argv_(argv), program_(program), plan_(plan) {
  WriteHookFiles(temporary_.path() / "python");
  if (options_.emulate)
    machines_.emplace(*options_.emulate, options_.data.empty() ? "" : options_.data.front(), watchdog_);
  // The program's own ranks meet wherever it likes; their commands need an address that others can reach.
  const std::string address =
      plan_.nodes > 1 && !machines_ ? LocalAddressTowards(plan_.master_addr) : kLoopback;
  if (plan_.nodes == 1 || !IsLoopback(address)) watch_ = WatchOtherCommands(plan_, address, {});
  if (options_.allow_writes) return;
  try {
    // Without root, both kinds of namespaces must belong to one user namespace.
    shield_.emplace(std::filesystem::current_path(), &watchdog_,
                    machines_ ? machines_->network().user_namespace() : std::nullopt);
  } catch (const Error& e) {
    Say(options_.output, fmt::format("warning: what the program writes into its folder stays there: {}; {}",
                                     e.what(), e.hint));
  }
}

bool RunJob::WantsSolo() const {
  const auto& wanted = options_.conditions;
  const bool asked =
      wanted.empty() || std::find(wanted.begin(), wanted.end(), Condition::kSolo) != wanted.end();
  return plan_.world_size > 1 && !IsShared() && options_.launches >= kLeastLaunches && asked;
}

int RunJob::Run(const std::filesystem::path& folder) {
  const bool solo = WantsSolo();
  const int launches = solo ? options_.launches : 1;
  const int starts = solo ? 2 * launches : 1;
  Say(options_.output,
      fmt::format("profiling {}: {} rank{}, at most {} and {} start{} of the program; results go to {}",
                  program_.name, plan_.world_size, plan_.world_size == 1 ? "" : "s",
                  FormatDuration(options_.max_time), starts, starts == 1 ? "" : "s", folder.string()));
  const double each_s = options_.max_time.count() / launches;
  std::vector<LaunchPair> pairs;
  std::string stopped_by;
  for (int number = 0; number < launches; ++number) {
    LaunchPair& pair = pairs.emplace_back();
    // Later launches have as many rounds as the first, so that all weigh alike.
    std::optional<int> rounds;
    if (number > 0) rounds = static_cast<int>(pairs.front().all.rounds.size());
    pair.all = MeasureAll(number, rounds, each_s * (solo ? 1 - kSoloShare : 1), folder);
    if (number == 0) stopped_by = pair.all.stopped_by;
    if (pair.all.error || SignalExitCode()) break;
    if (solo)
      pair.solo = MeasureSolo(number, static_cast<int>(pair.all.rounds.size()), each_s * kSoloShare, folder);
    if (pair.solo.error || SignalExitCode()) break;
  }
  MeasureResult joined = JoinLaunches(pairs);
  joined.stopped_by = joined.error ? "failed" : SignalExitCode() ? "interrupted" : stopped_by;
  const bool has_solo = !joined.rounds.empty() && joined.rounds.front().blocks.contains(Condition::kSolo);
  if (solo && !has_solo)
    rungs_.absent.push_back({.condition = "solo", .reason = "the run ended before its launches were done"});
  if (!facts_) throw joined.error.value_or(Error("the program was ended before it trained", "run it again"));
  MeasureOptions measure;
  measure.layout = {
      .nodes = plan_.nodes, .devices_per_node = plan_.devices_per_node, .emulated = plan_.emulated};
  measure.tolerance = options_.tolerance;
  measure.seed = options_.seed;
  Profile profile = MakeProfile(Origin(), measure, rungs_, joined);
  WidenOverLaunches(pairs, profile);
  DeliverProfile(profile, folder, options_);
  if (const auto signal = SignalExitCode()) return *signal;
  if (joined.error) throw *joined.error;
  return kExitOk;
}

std::optional<int> RunJob::SignalExitCode() {
  const auto signal = signals_.Read().first();
  return signal ? std::optional(128 + *signal) : std::nullopt;
}

HookLaunch RunJob::LaunchOf(const std::string& prefix, int nodes, int devices,
                            const std::filesystem::path& folder) {
  HookLaunch launch;
  launch.program = &program_;
  launch.files = temporary_.path() / "python";
  launch.folder = temporary_.path() / prefix;
  std::filesystem::create_directories(launch.folder);
  launch.logs = std::filesystem::absolute(folder / "log");
  launch.log_prefix = prefix;
  launch.mode = "ladder";
  launch.nodes = nodes;
  launch.devices_per_node = devices;
  launch.shares_cores = plan_.devices_per_node > 1 || machines_;
  launch.outside = !plan_.launcher.empty();
  if (machines_) {
    launch.master_addr = NetworkLab::Address(0);
    launch.interface = NetworkLab::Device();
  } else if (IsShared()) {
    if (!plan_.master_addr.empty()) launch.master_addr = plan_.master_addr;
  } else {
    launch.interface = "lo";
  }
  launch.master_port =
      IsShared() ? plan_.master_port > 0 ? plan_.master_port : kDefaultMasterPort : FreePort();
  launch.data = options_.data;
  launch.allow_writes = options_.allow_writes;
  launch.seed = options_.seed;
  if (watch_) launch.watch_offer = watch_->offer();
  return launch;
}

Rungs RunJob::RungsFor(const HookFacts& facts) const {
  Layout layout{.nodes = plan_.nodes, .devices_per_node = plan_.devices_per_node, .emulated = plan_.emulated};
  Rungs rungs = RungsOf(layout, {.given = facts.loader.has_value(), .evict = options_.evict});
  const auto leave_out = [&](Condition condition, const std::string& reason) {
    const auto place = std::find(rungs.present.begin(), rungs.present.end(), condition);
    if (place == rungs.present.end()) return;
    rungs.present.erase(place);
    rungs.absent.push_back({.condition = ConditionName(condition), .reason = reason});
  };
  for (AbsentCondition& absent : rungs.absent) {
    if (absent.reason == "no --data") absent.reason = facts.no_loader;
  }
  if (plan_.world_size > 1 && !facts.synchronises)
    leave_out(
        Condition::kCrowd,
        "gradients are averaged by other means than DistributedDataParallel, which cannot be switched off");
  const std::string own_launch =
      fmt::format("it needs launches of its own: stallscope run --nproc-per-node {} -- {}",
                  plan_.devices_per_node, fmt::join(options_.program, " "));
  // One device per machine is alone there, and all of them can be so at once.
  const bool shares_machine = layout.DevicesPerHost() > 1;
  if (shares_machine && IsShared()) leave_out(Condition::kSolo, own_launch);
  if (shares_machine && !WantsSolo() && options_.conditions.empty())
    leave_out(Condition::kSolo, "it needs launches of its own: give --launches 3 or more");
  if (plan_.nodes > 1 && !plan_.emulated) leave_out(Condition::kNode, own_launch);
  return options_.conditions.empty() ? rungs : Choose(rungs, options_.conditions);
}

DataPlan RunJob::DataPlanFor(const HookFacts& facts, int ranks) const {
  const HookFacts::Loader loader = facts.loader.value_or(HookFacts::Loader{});
  const bool known = loader.samples > 0;
  return {.workers = std::max(1, loader.workers),
          .shape = {.batch = loader.batch, .accumulate = loader.batches_per_step, .ranks = ranks},
          .samples = known ? static_cast<std::size_t>(loader.samples) : std::size_t{1} << 60};
}

MeasureResult RunJob::MeasureAll(int number, std::optional<int> rounds, double seconds,
                                 const std::filesystem::path& folder) {
  const HookLaunch launch =
      LaunchOf(fmt::format("launch{}-", number + 1), plan_.nodes, plan_.devices_per_node, folder);
  MeasureOptions measure;
  measure.layout = {
      .nodes = plan_.nodes, .devices_per_node = plan_.devices_per_node, .emulated = plan_.emulated};
  measure.max_time_s = seconds;
  measure.min_rounds = WantsSolo() ? kRoundsOfLaunch : measure.min_rounds;
  if (rounds) FixRounds(measure, *rounds);
  return Measured(
      launch,
      [&](const HookFacts& facts) {
        if (number == 0) rungs_ = RungsFor(facts);
        Rungs here = rungs_;
        if (measure.layout.DevicesPerHost() > 1) std::erase(here.present, Condition::kSolo);
        return here;
      },
      measure, folder);
}

MeasureResult RunJob::MeasureSolo(int number, int rounds, double seconds,
                                  const std::filesystem::path& folder) {
  const HookLaunch launch = LaunchOf(fmt::format("solo{}-", number + 1), 1, 1, folder);
  MeasureOptions measure;
  measure.layout = {.nodes = 1, .devices_per_node = 1};
  measure.max_time_s = seconds;
  FixRounds(measure, std::max(rounds, 1));
  return Measured(
      launch, [](const HookFacts&) { return Rungs{.present = {Condition::kSolo}}; }, measure, folder);
}

std::vector<RankStart> RunJob::StartsOf(const HookLaunch& launch) {
  std::vector<RankStart> starts;
  const auto add = [&](int node, int device) {
    RankStart start = HookRank(launch, node, device, ProcessEnvironment());
    if (machines_) machines_->Place(node, start.child);
    if (shield_) shield_->Place(start.child);
    starts.push_back(std::move(start));
  };
  if (IsShared()) {
    for (const int device : plan_.local_ranks) add(plan_.node, device);
    return starts;
  }
  for (int node = 0; node < launch.nodes; ++node) {
    for (int device = 0; device < launch.devices_per_node; ++device) add(node, device);
  }
  return starts;
}

int RunJob::Follow() {
  const TemporaryFolder logs(&watchdog_);
  std::filesystem::create_directories(logs.path() / "log");
  const HookLaunch launch = LaunchOf("launch1-", plan_.nodes, plan_.devices_per_node, logs.path());
  RankTeam team(StartsOf(launch), signals_, watchdog_, LimitsOf(options_));
  if (watch_) team.WatchOthers(*watch_, false);
  team.WaitUntilReady(kUntilReady);
  if (watch_ && !watch_->watching())
    Say(options_.output,
        "warning: rank 0's command cannot be reached; if its machine vanishes, that shows late");
  Say(options_.output,
      fmt::format("rank {} of {} is ready; rank 0's command reports", plan_.rank, plan_.world_size));
  return team.WaitForStop();
}

MeasureResult RunJob::Measured(const HookLaunch& launch, const std::function<Rungs(const HookFacts&)>& choose,
                               MeasureOptions measure, const std::filesystem::path& folder) {
  try {
    RankTeam team(StartsOf(launch), signals_, watchdog_, LimitsOf(options_));
    if (watch_) team.WatchOthers(*watch_, false);
    const HookFacts facts = HookFactsFromJson(team.WaitUntilReady(kUntilReady));
    if (!facts_) facts_ = facts;
    if (machines_) machines_->LimitDisk();
    measure.conditions = choose(facts).present;
    measure.tolerance = options_.tolerance;
    measure.seed = options_.seed;
    measure.storage_alone = false;
    measure.cores_per_machine = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    measure.interrupted = [this] { return SignalExitCode().has_value(); };
    if (facts.loader) measure.data = DataPlanFor(facts, launch.WorldSize());
    EmulatedRunner runner(team, machines_ ? &*machines_ : nullptr,
                          options_.emulate ? options_.emulate->bandwidth : std::nullopt);
    StepsCsv steps(folder, std::exchange(steps_begun_, true));
    BytesObserver bytes;
    std::vector<MeasureObserver*> observers = {&steps, &bytes};
    std::optional<ProgressPrinter> progress;
    if (!options_.output.quiet) {
      progress.emplace(std::cerr, isatty(STDERR_FILENO) != 0, options_.output.StyleOf(STDERR_FILENO));
      observers.push_back(&*progress);
    }
    ObserverList all(std::move(observers));
    MeasureResult result = Measure(runner, measure, all);
    bytes_seen_ += bytes.bytes;
    samples_seen_ += bytes.samples;
    EndRanks(team, result, SignalExitCode().value_or(kExitOk));
    return result;
  } catch (const Error& e) {
    MeasureResult failed;
    failed.stopped_by = "failed";
    failed.error = e;
    return failed;
  }
}

ProfileOrigin RunJob::Origin() const {
  const HookFacts& facts = *facts_;
  ProfileOrigin origin;
  origin.tool = {.version = STALLSCOPE_VERSION, .torch = facts.workload.torch_version};
  origin.created = UtcNow();
  origin.argv = argv_;
  origin.host = ReadHost(Root{});
  origin.workload = {.model = facts.workload.model,
                     .parameters = facts.workload.parameters,
                     .gradient_tensors = facts.workload.gradient_tensors,
                     .gradient_bytes = facts.workload.gradient_bytes,
                     .layers = facts.synchronises ? std::optional(facts.workload.layers) : std::nullopt,
                     .batch_per_device = facts.loader ? facts.loader->batch : facts.batch_without_loader,
                     .accumulate = facts.loader ? facts.loader->batches_per_step : 1,
                     .optimizer = facts.optimizer,
                     .dtype = facts.dtype,
                     .bucket = "the program's"};
  if (facts.loader) {
    origin.workload.loader_workers = facts.loader->workers;
    // What is not known of the data set leaves it out, and with it what memory could hold of it.
    if (facts.loader->samples > 0 && samples_seen_ > 0 && bytes_seen_ > 0) {
      const double bytes = bytes_seen_ / samples_seen_ * static_cast<double>(facts.loader->samples);
      origin.workload.dataset = DatasetInfo{.path = DataText(options_),
                                            .kind = "program",
                                            .samples = facts.loader->samples,
                                            .bytes = static_cast<std::int64_t>(bytes)};
      origin.room_bytes = MemoryRoom(Root{});
    }
  }
  if (const auto& emulate = options_.emulate) {
    if (emulate->bandwidth) origin.emulated_bandwidth_bytes_per_s = emulate->bandwidth->value;
    if (emulate->disk) origin.emulated_disk_bytes_per_s = emulate->disk->value;
  }
  origin.device = facts.device;
  origin.backend = facts.backend.empty() ? "none" : facts.backend;
  return origin;
}

}  // namespace stallscope
