#pragma once

#include <vector>

#include "stallscope/cost/topology.h"

namespace stallscope::cost {

/// How bytes get from GPU to GPU.
enum class PeerAccess {
  kOn,   ///< by the widest way, then the shortest: NVLink, PCIe switch, host bridge
  kOff,  ///< through host memory, whatever else connects the two
};

/// One ring over all GPUs of a machine, in order; through a NIC where it goes on to other machines.
struct Ring {
  std::vector<int> gpus;  ///< 0, 1, ... as numbered in the topology
  int nic = -1;           ///< -1: closes inside the machine
  BytesPerSecond bandwidth;
};

/// The rings of one machine, found once; after that a prediction is a few multiplications.
/// Parallel rings share a payload in proportion to their bandwidth; where they differ, the slowest is meant.
struct RingPlan {
  int gpus = 1;
  std::vector<Ring> rings;
  /// Of all rings together, while every hop of each is in use: the slowest hop counts.
  BytesPerSecond bandwidth = kNoLimit;
  Seconds slowest_latency{0};  ///< of the slowest hop
  /// Once around: latency, and seconds per byte of a chunk that passes every hop of this machine.
  Seconds lap_latency{0};
  double lap_s_per_byte = 0;
  /// The latency from the first GPU of a ring to its last, and that of the hop that closes it (or leads on to
  /// the next machine).
  Seconds chain_latency{0};
  Seconds closing_latency{0};
  /// A chunk travels two laps less two hops: the two cheapest neighbouring ones.
  Seconds spared_latency{0};
  double spared_s_per_byte = 0;
};

/// Parallel rings inside one machine: the ring with the widest slowest hop first, then again on what it
/// leaves. Best order by a bounded, deterministic search; above 16 GPUs in the order of their numbers.
RingPlan PlanRings(const Topology& machine, PeerAccess peer_access = PeerAccess::kOn);

/// Rings through `machines` equal machines, one or more per NIC; the hop to the next machine is part of the
/// plan.
RingPlan PlanRingsAcross(const Topology& machine, const Network& network,
                         PeerAccess peer_access = PeerAccess::kOn);

/// Ring all-reduce over machines·gpus = n ranks, chunks of s/n; the later of
///   the slowest hop's work:     2(n-1)·(s/n)/bandwidth + its latency
///   a chunk's way, two laps less two hops:  Σ latency + Σ (s/n)/bandwidth.
/// With equal hops this is 2(n-1)·latency + 2(n-1)/n·s/bandwidth.
Seconds RingAllReduceTime(Bytes payload, const RingPlan& plan, int machines = 1);

}  // namespace stallscope::cost
