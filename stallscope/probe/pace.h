#pragma once

#include <vector>

namespace stallscope {

/// Seconds in which each of the cores, all at once, passes a few megabytes through a pipe of the kernel and
/// adds them up: what ranks do with gradients, without each other. The hosts of virtual machines change their
/// processors' speed by half within minutes, which no counter of the guest shows. Only the ratio of two such
/// times means anything.
double ProcessorPace(const std::vector<int>& cpus);

}  // namespace stallscope
