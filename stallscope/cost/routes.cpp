#include "stallscope/cost/routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "stallscope/base/error.h"

namespace stallscope::cost {
namespace {

/// Breadth first over wires of at least `narrowest`: the route with the fewest of them.
std::optional<std::vector<Way>> ShortestOver(const Topology& machine, int from, int to, double narrowest) {
  std::vector<Way> came_by(machine.parts.size(), -1);
  std::vector<int> reached{from};
  const auto target = [&machine](Way way) {
    const Wire& wire = machine.wires[way / 2];
    return way % 2 == 0 ? wire.b : wire.a;
  };
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const int here = reached[i];
    if (here == to) break;
    const bool forwards = machine.parts[here] == Part::kSwitch || machine.parts[here] == Part::kHost;
    if (here != from && !forwards) continue;
    for (int wire = 0; wire < static_cast<int>(machine.wires.size()); ++wire) {
      const Wire& next = machine.wires[wire];
      if ((next.a != here && next.b != here) || next.link.bandwidth.value < narrowest) continue;
      const Way way = 2 * wire + (next.a == here ? 0 : 1);
      const int part = target(way);
      if (part == from || came_by[part] >= 0) continue;
      came_by[part] = way;
      reached.push_back(part);
    }
  }
  if (came_by[to] < 0) return std::nullopt;
  std::vector<Way> ways;
  for (int part = to; part != from;) {
    const Way way = came_by[part];
    ways.push_back(way);
    part = target(way ^ 1);
  }
  std::reverse(ways.begin(), ways.end());
  return ways;
}

Route Measured(const Topology& machine, std::vector<Way> ways) {
  Route route{.ways = std::move(ways)};
  for (const Way way : route.ways) {
    const Link& link = machine.wires[way / 2].link;
    route.latency += link.latency;
    route.width.value = std::min(route.width.value, link.bandwidth.value);
  }
  return route;
}

}  // namespace

Route RouteBetween(const Topology& machine, int from, int to) {
  std::vector<double> widths;
  for (const Wire& wire : machine.wires) widths.push_back(wire.link.bandwidth.value);
  std::sort(widths.rbegin(), widths.rend());
  widths.erase(std::unique(widths.begin(), widths.end()), widths.end());
  for (const double width : widths) {
    if (auto ways = ShortestOver(machine, from, to, width)) return Measured(machine, std::move(*ways));
  }
  throw Error(fmt::format("no wire leads from part {} of the machine to part {}", from, to),
              "connect every GPU and NIC with the others through switches or hosts");
}

Route GpuRoute(const Topology& machine, int from, int to, PeerAccess peer_access) {
  if (peer_access == PeerAccess::kOn) return RouteBetween(machine, from, to);
  const int host = Nearest(machine, from, machine.All(Part::kHost));
  std::vector<Way> ways = RouteBetween(machine, from, host).ways;
  const std::vector<Way> down = RouteBetween(machine, host, to).ways;
  ways.insert(ways.end(), down.begin(), down.end());
  return Measured(machine, std::move(ways));
}

int Nearest(const Topology& machine, int from, const std::vector<int>& targets) {
  int nearest = -1;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const int target : targets) {
    const std::size_t wires = RouteBetween(machine, from, target).ways.size();
    if (wires >= fewest) continue;
    fewest = wires;
    nearest = target;
  }
  if (nearest < 0) {
    throw Error("the machine has no host to stage through, or no network interface",
                "add the part that the job needs to the topology");
  }
  return nearest;
}

}  // namespace stallscope::cost
