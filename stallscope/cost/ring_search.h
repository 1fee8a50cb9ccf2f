#pragma once

#include <optional>
#include <vector>

#include "stallscope/cost/routes.h"

namespace stallscope::cost {

/// Where a ring has to pass, and how it gets from each stop to each other: route[i][j], unused for i = j.
struct Stops {
  std::vector<std::vector<Route>> route;
};

struct FoundRing {
  std::vector<int> order;  ///< of the stops, from stop 0
  double bandwidth = 0;    ///< of the slowest hop while all hops are in use
};

/// The order of stops whose slowest hop is fastest, on what is left of every way: a way that k hops of the
/// ring use gives each a k-th. Hops over more than `longest_hop` wires are not taken. Nothing where no ring
/// exists.
///
/// Depth first, widest routes first, cut where the ring cannot become better, and ended by a count of tries:
/// the same input gives the same ring. More than 16 stops and a NIC are taken in their order.
std::optional<FoundRing> WidestRing(const Stops& stops, const std::vector<double>& left,
                                    std::size_t longest_hop);

/// The same ring the other way round, where what is left carries it at the same bandwidth.
std::optional<FoundRing> Reversed(const FoundRing& ring, const Stops& stops, const std::vector<double>& left);

}  // namespace stallscope::cost
