#pragma once

#include <optional>

#include "stallscope/cost/collectives.h"
#include "stallscope/cost/ring_plan.h"

namespace stallscope::cost {

/// Everything about one kind of machine that collectives need: found once, then every time below is O(1),
/// without allocation, for any number of machines.
struct MachinePlan {
  int gpus = 1;
  RingPlan inside;
  /// Absent without a NIC.
  std::optional<RingPlan> across;
  /// All GPUs of a machine at once, each through its nearest NIC, to those of the next machine: the bandwidth
  /// is that of all together, the latency that of the GPU nearest to its NIC.
  std::optional<Link> cross;
  Seconds farthest_latency{0};  ///< as in `cross`, of the GPU farthest from its NIC
  /// What one GPU has while all copy to (or from) host memory. Absent where no host is in the topology.
  std::optional<Link> host;
};

MachinePlan PlanMachine(const Topology& machine, const Network& network = {},
                        PeerAccess peer_access = PeerAccess::kOn);

/// One ring through all GPUs of all machines; on one machine the ring inside it.
Seconds FlatAllReduceTime(Bytes payload, const MachinePlan& plan, int machines);

/// Reduce-scatter inside each machine, all-reduce of the parts across machines by rings, all-gather inside:
/// t = ring inside + 2(m-1)·max(near + (s/m)/cross, far + (s/m/g)/cross), with the latencies of the nearest
/// and the farthest of g GPUs: the rings of the farther ones wait longer and leave the NIC to the others. In
/// `pieces` equal pieces, pipelined, with i and x the times of one piece inside and across: t = i + x +
/// (pieces-1)·max(i, x). One machine: the flat ring.
Seconds HierarchicalAllReduceTime(Bytes payload, const MachinePlan& plan, int machines, int pieces = 1);

/// NCCL's tree: a chain inside each machine, two binary trees across; pipelined up and down. With c =
/// min(piece, s/2), depth d = ceil(log2 m) and the latencies of a machine's chain and of a hop between
/// machines: t = 2·(chain + d·hop) + 2·((g-1)·2c/inside + (2d-1)·c/cross)
///   + (s-2c)·max(min(g-1, 2)/inside, DoubleTreeLoad(m)/cross); terms of d only where m > 1.
Seconds TreeAllReduceTime(Bytes payload, const MachinePlan& plan, int machines, Bytes piece = kPipelinePiece);

enum class Algorithm { kRing, kTree, kHierarchical };

struct Choice {
  Algorithm algorithm = Algorithm::kRing;
  Seconds time{0};
};

/// The fastest of ring and tree, as NCCL chooses by its own model of both.
Choice FastestAllReduce(Bytes payload, const MachinePlan& plan, int machines);

}  // namespace stallscope::cost
