#include "stallscope/engine/torch/rank_loop.h"

#include <fmt/format.h>
#include <torch/torch.h>
#include <torch/version.h>

#include <csignal>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/engine/event_channel.h"
#include "stallscope/engine/torch/build_network.h"
#include "stallscope/engine/torch/collective_rank.h"
#include "stallscope/engine/torch/memory_reuse.h"
#include "stallscope/engine/torch/trainer.h"
#include "stallscope/machine/cpu_load.h"
#include "stallscope/machine/foreign_watch.h"
#include "stallscope/machine/resource_sampler.h"

namespace stallscope {
namespace {

using nlohmann::json;

/// A rank's tools, made once.
struct RankTools {
  const EngineConfig& config;
  Team& team;
  Trainer& trainer;
  DataFeed* feed;
  ResourceSampler& sampler;
};

/// One rank speaks for its machine: the first of it that takes part in the block.
bool SamplesItsMachine(const BlockRequest& request, const EngineConfig& config) {
  const int first_of_machine = config.rank - config.local_rank;
  const auto first = std::lower_bound(request.ranks.begin(), request.ranks.end(), first_of_machine);
  return first != request.ranks.end() && *first == config.rank;
}

std::vector<StepRecord> RunSteps(const BlockRequest& request, const RankTools& tools) {
  if (!request.train) return tools.trainer.DrainFeed(request.steps);
  const bool is_last = tools.config.rank + 1 == tools.config.world_size;
  tools.trainer.SetDelay(is_last ? request.inject.slow_rank_s : 0);
  return tools.trainer.RunBlock(request.sync, request.data, request.steps);
}

RankBlock RunBlock(const BlockRequest& request, const RankTools& tools) {
  const EngineConfig& config = tools.config;
  Trainer& trainer = tools.trainer;
  RankBlock block{.rank = config.rank, .node = config.node};
  const bool real_data = IsRealData(request.data);
  if (real_data) {
    if (tools.feed == nullptr) throw Error("there is no data to train on", "give --data");
    tools.feed->Prepare(request);
    // Nobody reads before everybody has prepared: files may be shared.
    tools.team.Barrier();
    tools.feed->Begin();
  }
  const CpuLoad load_before = ReadCpuLoad(Root{}).value_or(CpuLoad{});
  const double cpu_before = OwnCpuSeconds();
  block.start_s = MonotonicSeconds();
  const bool samples = request.sample_every_s > 0 && SamplesItsMachine(request, config);
  if (samples) tools.sampler.Begin(request.sample_every_s);
  if (std::binary_search(request.ranks.begin(), request.ranks.end(), config.rank)) {
    const double recording_before = trainer.RecordingSeconds();
    trainer.SetRecording(request.record);
    block.steps = RunSteps(request, tools);
    block.recording_s = trainer.RecordingSeconds() - recording_before;
  }
  if (real_data) block.input = tools.feed->End();
  if (samples) block.samples = tools.sampler.End();
  block.end_s = MonotonicSeconds();
  block.cpu_s = OwnCpuSeconds() - cpu_before;
  const CpuLoad load_after = ReadCpuLoad(Root{}).value_or(load_before);
  block.machine_busy_s = load_after.busy_s - load_before.busy_s;
  block.machine_steal_s = load_after.steal_s - load_before.steal_s;
  return block;
}

/// One order: rank 0 has it from its command and hands it on. An empty line is the end of the command.
json NextOrder(Team& team) {
  std::string line;
  if (team.rank() == 0 && !std::getline(std::cin, line)) line = R"({"order":"stop","exit_code":1})";
  return json::parse(team.Broadcast(line));
}

/// Does its part of every order of this kind, and gathers what came of it, until the order to stop.
int Obey(Team& team, EventChannel& channel, const std::string& kind,
         const std::function<json(const json&)>& work) {
  for (;;) {
    const json order = NextOrder(team);
    if (order.at("order") == "stop") {
      const int exit_code = order.at("exit_code");
      channel.Send({{"event", "stopped"}, {"exit_code", exit_code}});
      return 0;
    }
    const std::vector<std::string> all = team.Gather(work(order.at(kind)).dump());
    if (team.rank() != 0) continue;
    json ranks = json::array();
    for (const std::string& text : all) ranks.push_back(json::parse(text));
    channel.Send({{"event", kind}, {"ranks", std::move(ranks)}});
  }
}

/// Gloo says this when the other end of a connection has gone: the cause is elsewhere.
bool IsLostConnection(const std::string& message) {
  for (const char* sign : {"Connection closed by peer", "Connection reset by peer", "Broken pipe",
                           "Connection refused", "lost the connection to the master"}) {
    if (message.find(sign) != std::string::npos) return true;
  }
  return false;
}

/// The rank's command joins those that watch each other.
std::function<void(const std::string&)> TellOffer(EventChannel& channel) {
  return [&channel](const std::string& offer) { channel.Send({{"event", "watch"}, {"offer", offer}}); };
}

/// At which step a rank is, for the heartbeat's thread; known also when the trainer has gone.
class StepCount {
 public:
  void Follow(const std::atomic<std::int64_t>& counter) { counter_ = &counter; }
  void Leave() {
    last_ = Now();
    counter_ = nullptr;
  }
  std::int64_t Now() const {
    const auto* counter = counter_.load();
    return counter == nullptr ? last_.load() : counter->load();
  }

 private:
  std::atomic<const std::atomic<std::int64_t>*> counter_ = nullptr;
  std::atomic<std::int64_t> last_ = 0;
};

struct LeavesStepCount {
  StepCount& steps;
  ~LeavesStepCount() { steps.Leave(); }
};

int Train(const EngineConfig& config, EventChannel& channel, StepCount& steps) {
  KeepFreedMemory();
  at::set_num_threads(1);
  // On a batch learnt by heart, gradients sink into denormals, which the CPU multiplies a hundred times
  // slower; no user's data does that.
  at::globalContext().setFlushDenormal(true);
  torch::manual_seed(config.training.seed + static_cast<std::uint64_t>(config.rank));
  BuiltNetwork network = BuildForTraining(config.training);
  Team team(config, TellOffer(channel));
  Trainer trainer(config.training, std::move(network.module), &team, config.rank);
  std::optional<DataFeed> feed;
  if (config.data) {
    const FeedShape shape{.batch = config.training.batch,
                          .accumulate = config.training.accumulate,
                          .rank = config.rank,
                          .ranks = config.world_size,
                          .seed = config.training.seed};
    feed.emplace(OpenDataset(config.data->path, network.facts.image_size, network.facts.sequence_length,
                             config.data->follow),
                 *config.data, shape);
    trainer.SetFeed(&*feed);
  }
  steps.Follow(trainer.steps_begun());
  const LeavesStepCount leaves{steps};
  channel.Send({{"event", "ready"}, {"workload", ToJson(network.facts)}});
  ResourceSampler sampler;
  const RankTools tools{.config = config,
                        .team = team,
                        .trainer = trainer,
                        .feed = feed ? &*feed : nullptr,
                        .sampler = sampler};
  return Obey(team, channel, "block",
              [&](const json& order) { return ToJson(RunBlock(BlockRequestFromJson(order), tools)); });
}

int MeasureCollectives(const EngineConfig& config, EventChannel& channel) {
  at::set_num_threads(1);
  Team team(config, TellOffer(channel));
  CollectiveRank rank(team);
  const CollectiveFacts facts{.torch_version = TORCH_VERSION, .backend = "gloo"};
  channel.Send({{"event", "ready"}, {"workload", ToJson(facts)}});
  return Obey(team, channel, "collectives",
              [&](const json& order) { return ToJson(rank.Run(CollectiveRequestFromJson(order))); });
}

}  // namespace

int RunRank() {
  std::signal(SIGPIPE, SIG_IGN);
  // The command decides when these end the job: a terminal sends Ctrl-C to everyone, and a scheduler that
  // preempts a job sends SIGTERM to all of its processes, on one machine earlier than on another.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  EventChannel channel(kEventDescriptor);
  StepCount steps;
  const auto fail = [&](const std::string& what, const std::string& hint, int exit_code) {
    std::cerr << "error: " << what << '\n';
    channel.Send({{"event", "failed"},
                  {"message", what},
                  {"hint", hint},
                  {"exit_code", exit_code},
                  {"lost_connection", IsLostConnection(what)}});
    return exit_code;
  };
  int rank = 0;
  const auto out_of_memory = [&] {
    const std::int64_t step = steps.Now();
    return fail(fmt::format("rank {} ran out of memory {}", rank,
                            step == 0 ? "before its first step" : fmt::format("at step {}", step)),
                "choose a smaller --batch, a smaller network or fewer ranks", kExitFailed);
  };
  try {
    std::string line;
    std::getline(std::cin, line);
    const EngineConfig config = EngineConfigFromJson(json::parse(line, nullptr, false));
    rank = config.rank;
    const Heartbeat heartbeat(channel, [&] { return steps.Now(); });
    return config.measures_collectives ? MeasureCollectives(config, channel) : Train(config, channel, steps);
  } catch (const Error& e) {
    return fail(e.what(), e.hint, e.exit_code);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const c10::Error& e) {
    // torch's allocator throws errors of its own.
    if (std::string_view(e.what_without_backtrace()).find("allocate memory") != std::string_view::npos)
      return out_of_memory();
    return fail(e.what_without_backtrace(), "see the rank's log", kExitFailed);
  } catch (const std::exception& e) {
    return fail(e.what(), "see the rank's log", kExitFailed);
  }
}

}  // namespace stallscope
