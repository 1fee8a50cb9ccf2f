#include "stallscope/cost/collectives.h"

#include <algorithm>
#include <bit>

#include "stallscope/cost/check_count.h"

namespace stallscope::cost {

Seconds RingReduceScatterTime(Bytes payload, int ranks, const Link& link) {
  CheckCount(ranks, "ranks");
  const double hops = ranks - 1.0;
  return hops * link.latency + hops / ranks * (payload / link.bandwidth);
}

Seconds RingAllGatherTime(Bytes payload, int ranks, const Link& link) {
  return RingReduceScatterTime(payload, ranks, link);
}

Seconds RingAllReduceTime(Bytes payload, int ranks, const Link& link) {
  return RingReduceScatterTime(payload, ranks, link) + RingAllGatherTime(payload, ranks, link);
}

Seconds ChainBroadcastTime(Bytes payload, int ranks, const Link& link, Bytes piece) {
  CheckCount(ranks, "ranks");
  if (ranks == 1) return Seconds(0);
  const Bytes first{std::min(piece.value, payload.value)};
  const Bytes rest{payload.value - first.value};
  return (ranks - 1.0) * (link.latency + first / link.bandwidth) + rest / link.bandwidth;
}

int TreeDepth(int ranks) {
  CheckCount(ranks, "ranks");
  return std::bit_width(static_cast<unsigned>(ranks) - 1);
}

Seconds BinomialAllReduceTime(Bytes payload, int ranks, const Link& link) {
  return 2.0 * TreeDepth(ranks) * (link.latency + payload / link.bandwidth);
}

double DoubleTreeLoad(int ranks) {
  CheckCount(ranks, "ranks");
  return std::min(2.0, (ranks - 1) * (ranks == 3 ? 0.75 : 1.0));
}

Seconds DoubleTreeAllReduceTime(Bytes payload, int ranks, const Link& link, Bytes piece) {
  const int depth = TreeDepth(ranks);
  if (depth == 0) return Seconds(0);
  const Bytes first{std::min(piece.value, payload.value / 2)};
  const Bytes rest{payload.value - 2 * first.value};
  return 2.0 * depth * link.latency + 2.0 * (2 * depth - 1) * (first / link.bandwidth) +
         DoubleTreeLoad(ranks) * (rest / link.bandwidth);
}

}  // namespace stallscope::cost
