#pragma once

#include <limits>

#include "stallscope/base/units.h"

/// What moving gradients costs: formulas over links, and topologies that links are found in. Pure: no state,
/// no clock, and a time is never less for more bytes, more ranks or more latency. Derived in docs/models.md.
namespace stallscope::cost {

inline constexpr BytesPerSecond kNoLimit{std::numeric_limits<double>::infinity()};

/// One way of a connection; the other way is as fast and independent of it (full duplex).
/// A message of s bytes arrives latency + s / bandwidth after it was sent.
struct Link {
  Seconds latency{0};
  BytesPerSecond bandwidth = kNoLimit;
};

/// What one network interface gives. TCP and RDMA differ in numbers only: a TCP flow has a higher latency and
/// often a rate that it cannot exceed (one core, or a provider's limit per flow); RDMA has no such limit.
struct Network {
  /// Latency from machine to machine, and the interface's payload rate each way.
  Link interface;
  BytesPerSecond flow_limit = kNoLimit;
  /// Connections that a pair of neighbouring ranks spreads its bytes over.
  int flows_per_pair = 1;
};

/// The interface as `pairs` pairs of ranks see it together: bandwidth = min(interface, pairs·flows·limit).
Link SharedBy(const Network& network, int pairs);

}  // namespace stallscope::cost
