#pragma once

#include <vector>

#include "stallscope/cost/ring_plan.h"

namespace stallscope::cost {

/// One way of a wire: 2·wire from a to b, 2·wire + 1 from b to a.
using Way = int;

struct Route {
  std::vector<Way> ways;
  Seconds latency{0};
  /// Of the narrowest wire, alone.
  BytesPerSecond width = kNoLimit;
};

/// How bytes travel between two parts of a machine: by the widest way, and of those by the one with the
/// fewest wires, in the order of the wires. Nothing passes through GPUs and NICs. Throws Error where none
/// exists.
Route RouteBetween(const Topology& machine, int from, int to);

/// The same from GPU to GPU; with peer access off through the memory of the sender's host.
Route GpuRoute(const Topology& machine, int from, int to, PeerAccess peer_access);

/// The one of `targets` that is the fewest wires away, then the first.
int Nearest(const Topology& machine, int from, const std::vector<int>& targets);

}  // namespace stallscope::cost
