#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "stallscope/engine/torch/memory_reuse.h"
#include "stallscope/engine/torch/network_module.h"
#include "stallscope/engine/torch/ranks_for_tests.h"
#include "stallscope/engine/torch/team.h"
#include "stallscope/engine/torch/trainer.h"
#include "stallscope/network/network.h"

namespace stallscope {

/// Two ranks of one job, each on a thread of the test, with real connections between them.
inline void WithTwoRanks(const TrainingConfig& training, const NetworkOptions& options,
                         const std::function<void(int rank, Trainer& trainer)>& body) {
  KeepFreedMemory();
  WithRanks(2, [&](EngineConfig& config) {
    config.training = training;
    Team team(config);
    Trainer trainer(training, MakeNetworkModule(BuildNetwork(training.model, options), training.seed), &team,
                    config.rank);
    body(config.rank, trainer);
    // Nobody hangs up while the other still speaks.
    team.Gather("done");
    team.Broadcast("done");
  });
}

}  // namespace stallscope
