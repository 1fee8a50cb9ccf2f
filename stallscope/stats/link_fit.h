#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stallscope/document/collective_curve.h"
#include "stallscope/stats/bootstrap.h"

namespace stallscope {

/// The times of an all-reduce over a ring, for some sizes, in the same rounds.
struct RingTimes {
  int ranks = 2;
  int trips_per_step = 1;
  std::vector<std::int64_t> bytes;           ///< rising
  std::vector<std::vector<double>> times_s;  ///< for each size one for each round
};

/// Fewer sizes than these leave no error to speak of.
constexpr std::size_t kLeastSizesToFit = 5;

/// Latency and bandwidth of the ring's links, from each size's median over the rounds: a link is what it is
/// in most rounds, whatever else the machine did in one of them. The intervals of the link's own two figures
/// also hold what other segments would have said, because every resample chooses its own. There is no
/// bandwidth where even the largest message was mostly latency, and no fit for fewer sizes than
/// kLeastSizesToFit.
std::optional<LinkFit> FitLink(const RingTimes& ring, const Bootstrap& bootstrap);

/// By the first of them; the intervals of the link's own two figures are as wide as the widest of all.
std::optional<LinkFit> FitLink(const RingTimes& ring, const std::vector<Bootstrap>& bootstraps);

/// bytes / time, and that times 2(n-1)/n, as nccl-tests define them (its doc/PERFORMANCE.md).
double AlgorithmBandwidth(double bytes, double time_s);
double AllReduceBusBandwidth(double bytes, double time_s, int ranks);

}  // namespace stallscope
