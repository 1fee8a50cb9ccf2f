#pragma once

#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "stallscope/engine/messages.h"
#include "stallscope/supervise/temporary_folder.h"

namespace stallscope {

/// The ranks of one job on one machine, each on a thread of the test. What one of them throws is thrown
/// again.
inline void WithRanks(int count, const std::function<void(EngineConfig& config)>& body) {
  const TemporaryFolder folder;
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        EngineConfig config;
        config.rank = rank;
        config.local_rank = rank;
        config.world_size = count;
        config.devices_per_node = count;
        config.meeting.file = (folder.path() / "store").string();
        body(config);
      } catch (...) {
        failures[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace stallscope
