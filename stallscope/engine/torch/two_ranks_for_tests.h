#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "stallscope/engine/torch/memory_reuse.h"
#include "stallscope/engine/torch/network_module.h"
#include "stallscope/engine/torch/team.h"
#include "stallscope/engine/torch/trainer.h"
#include "stallscope/network/network.h"
#include "stallscope/supervise/temporary_folder.h"

namespace stallscope {

/// Two ranks of one job, each on a thread of the test, with real connections between them.
inline void WithTwoRanks(const TrainingConfig& training, const NetworkOptions& options,
                         const std::function<void(int rank, Trainer& trainer)>& body) {
  KeepFreedMemory();
  const TemporaryFolder folder;
  std::vector<std::exception_ptr> failures(2);
  const auto run = [&](int rank) {
    try {
      EngineConfig config;
      config.rank = rank;
      config.local_rank = rank;
      config.world_size = 2;
      config.devices_per_node = 2;
      config.meeting.file = (folder.path() / "store").string();
      config.training = training;
      Team team(config);
      Trainer trainer(training, MakeNetworkModule(BuildNetwork(training.model, options), training.seed),
                      &team, rank);
      body(rank, trainer);
      // Nobody hangs up while the other still speaks.
      team.Gather("done");
      team.Broadcast("done");
    } catch (...) {
      failures[static_cast<std::size_t>(rank)] = std::current_exception();
    }
  };
  std::thread first(run, 0);
  std::thread second(run, 1);
  first.join();
  second.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace stallscope
