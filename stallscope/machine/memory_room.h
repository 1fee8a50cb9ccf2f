#pragma once

#include <cstdint>
#include <optional>

#include "stallscope/base/root.h"

namespace stallscope {

/// Memory that cached files could take on this machine: what is available now (free, or cache already),
/// within the memory limits of our cgroups. Nothing where it cannot be read.
std::optional<std::int64_t> MemoryRoom(const Root& root);

}  // namespace stallscope
