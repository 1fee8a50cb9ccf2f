#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stallscope/document/machine_facts.h"

namespace stallscope {

/// What hwloc sees of this machine, or of the one that was recorded in `xml_file` (lstopo's export).
/// Throws Error where hwloc fails.
TopologyFacts ReadTopology(const std::string& xml_file = "");

/// Bytes of the last level of cache: of the largest one alone, or of all of that level together. Nothing
/// where no cache is known.
struct LastLevelCache {
  std::int64_t one = 0;
  std::int64_t all = 0;
};
std::optional<LastLevelCache> LastLevelOf(const TopologyFacts& topology);

/// Bytes of the largest cache that a core has for itself. Nothing where none is known.
std::optional<std::int64_t> PrivateCacheOf(const TopologyFacts& topology);

}  // namespace stallscope
