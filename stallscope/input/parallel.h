#pragma once

#include <cstddef>
#include <functional>

namespace stallscope {

/// Calls `make()` once per thread, and what it gives for every index below `count`, each once, on that many
/// threads. The calling thread calls `watch(done)` some times a second; where it says false, nothing new is
/// begun. The first exception ends the work and is thrown here. Gives the number of indices that were done.
std::size_t ForEachInParallel(std::size_t count, int threads,
                              const std::function<std::function<void(std::size_t)>()>& make,
                              const std::function<bool(std::size_t)>& watch);

}  // namespace stallscope
