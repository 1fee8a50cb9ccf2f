#pragma once

#include "stallscope/cost/link.h"

namespace stallscope::cost {

/// n ranks with one equal link each, all in use at once; s bytes on every rank, of which each ends up with
/// the sum (all-reduce), its part of the sum (reduce-scatter) or everyone's parts (all-gather).
/// All are zero for one rank, and throw Error for fewer.

/// Ring: t = 2(n-1)·latency + 2(n-1)/n · s/bandwidth.
Seconds RingAllReduceTime(Bytes payload, int ranks, const Link& link);
/// Ring: t = (n-1)·latency + (n-1)/n · s/bandwidth; gathering takes the same, in reverse.
Seconds RingReduceScatterTime(Bytes payload, int ranks, const Link& link);
Seconds RingAllGatherTime(Bytes payload, int ranks, const Link& link);

/// What a pipeline cuts a payload into: NCCL's buffers hold eight slots of 512 KiB, and it halves the
/// pieces of smaller payloads.
inline constexpr Bytes kPipelinePiece{131072};

/// From one rank along the chain of all others, in pieces of c = min(piece, s):
/// t = (n-1)·(latency + c/bandwidth) + (s-c)/bandwidth.
Seconds ChainBroadcastTime(Bytes payload, int ranks, const Link& link, Bytes piece = kPipelinePiece);

/// Binomial tree, up and down, the whole payload in every message: t = 2·ceil(log2 n)·(latency +
/// s/bandwidth).
Seconds BinomialAllReduceTime(Bytes payload, int ranks, const Link& link);

/// Two binary trees, each for one half, where one tree's leaves are the other's inner ranks (NCCL's `tree`);
/// pieces of c = min(piece, s/2), depth d = ceil(log2 n), and the busiest rank sends DoubleTreeLoad(n)·s:
/// t = 2d·latency + 2(2d-1)·c/bandwidth + load·(s-2c)/bandwidth.
Seconds DoubleTreeAllReduceTime(Bytes payload, int ranks, const Link& link, Bytes piece = kPipelinePiece);
/// Payloads that leave the busiest rank of the two trees: 0 for one rank, 1 for two, 1.5 for three, else 2.
double DoubleTreeLoad(int ranks);
/// ceil(log2 n).
int TreeDepth(int ranks);

}  // namespace stallscope::cost
