#pragma once

#include <functional>
#include <vector>

namespace stallscope {

/// Runs `work(i)` on one thread per core, each kept on its core, all begun together. Gives the seconds from
/// the first begin to the last end. Throws what the first of them threw.
double RunOnCores(const std::vector<int>& cpus, const std::function<void(std::size_t)>& work);

}  // namespace stallscope
