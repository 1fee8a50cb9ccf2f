#include "stallscope/input/parallel.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace stallscope {

std::size_t ForEachInParallel(std::size_t count, int threads,
                              const std::function<std::function<void(std::size_t)>()>& make,
                              const std::function<bool(std::size_t)>& watch) {
  constexpr std::chrono::milliseconds kWatchEvery(100);
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done = 0;
  std::mutex mutex;
  std::condition_variable ended;
  int running = threads;
  std::exception_ptr failure;
  const auto work = [&] {
    std::exception_ptr mine;
    try {
      const std::function<void(std::size_t)> act = make();
      for (std::size_t index = next++; index < count; index = next++) {
        act(index);
        ++done;
      }
    } catch (...) {
      mine = std::current_exception();
      next = count;
    }
    const std::lock_guard lock(mutex);
    if (mine && !failure) failure = mine;
    --running;
    ended.notify_all();
  };
  {
    std::vector<std::jthread> pool;
    for (int i = 0; i < threads; ++i) pool.emplace_back(work);
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, kWatchEvery, [&] { return running == 0; })) {
      if (!watch(done)) next = count;
    }
  }
  if (failure) std::rethrow_exception(failure);
  return done;
}

}  // namespace stallscope
