#include "app/commands/probe_collectives.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/commands/engine_ranks.h"
#include "app/engine_path.h"
#include "app/profile_delivery.h"
#include "stallscope/base/error.h"
#include "stallscope/engine/curve_measurement.h"
#include "stallscope/machine/memory_room.h"

namespace stallscope {

ProbeCollectives::ProbeCollectives(const LaunchOptions& launch, LaunchPlan& plan, const OutputOptions& output,
                                   SignalInbox& signals, Watchdog& watchdog)
    : launch_(launch),
      plan_(plan),
      output_(output),
      signals_(signals),
      watchdog_(watchdog),
      engine_(FindEngine()) {}

void ProbeCollectives::Start() {
  meeting_.emplace(plan_, launch_.join_timeout, watchdog_,
                   [this] { return signals_.Read().first().has_value(); });
  logs_.emplace(&watchdog_);
  std::vector<RankStart> starts;
  for (EngineConfig& config : PlacedRanks(plan_, *meeting_, launch_.interface)) {
    config.measures_collectives = true;
    starts.push_back(StartOfRank(config, plan_, engine_, logs_->path()));
  }
  team_.emplace(starts, signals_, watchdog_);
  torch_version_ = CollectiveFactsFromJson(WaitForRanks(*team_, *meeting_)).torch_version;
}

std::vector<CollectiveCurve> ProbeCollectives::Measure(Seconds budget, std::uint64_t seed,
                                                       const std::function<void()>& between_rounds) {
  CurveOptions options{.nodes = plan_.nodes,
                       .devices_per_node = plan_.devices_per_node,
                       .budget = budget,
                       .seed = seed,
                       .memory_bytes = MemoryRoom(Root{})};
  options.interrupted = [this] { return signals_.Read().first().has_value(); };
  options.between_rounds = between_rounds;
  options.say = [this](const std::string& line) { Say(output_, line); };
  return MeasureCurves(*team_, options);
}

void ProbeCollectives::Finish(int exit_code) {
  team_->Stop(exit_code);
  team_.reset();
}

int ProbeCollectives::Follow() {
  Start();
  Say(output_, fmt::format("rank {} of {} is ready; rank 0's command reports", plan_.rank, plan_.world_size));
  return team_->WaitForStop();
}

}  // namespace stallscope
