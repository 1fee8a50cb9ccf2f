#include "stallscope/document/collective_quantities.h"

#include <fmt/format.h>

namespace stallscope {
namespace {

/// The point's bus bandwidth with the interval that its time has.
Estimate BusBandwidth(const CollectivePoint& point) {
  const double moved = point.bus_bytes_per_s * point.time_s.mean;
  return {.mean = point.bus_bytes_per_s, .low = moved / point.time_s.high, .high = moved / point.time_s.low};
}

}  // namespace

std::vector<Quantity> QuantitiesOf(const CollectiveCurve& curve) {
  // What one library does says nothing about another's speed on the same link.
  const std::string layout = fmt::format("{}.{}x{}", curve.backend, curve.nodes, curve.ranks / curve.nodes);
  const std::string source =
      fmt::format("{} of {} ranks over {}", curve.collective, curve.ranks, curve.backend);
  std::vector<Quantity> found;
  const auto add = [&](const char* kind, const char* what, const char* unit, const Estimate& value,
                       bool higher) {
    found.push_back({fmt::format("{}.{}.{}", kind, layout, what), unit, value, higher, kMeasured, source});
  };
  if (!curve.points.empty()) {
    add("allreduce", "bus_bandwidth", "B/s", BusBandwidth(curve.points.back()), true);
    add("allreduce", "latency", "s", curve.points.front().time_s, false);
  }
  if (curve.fit) {
    if (curve.fit->bytes_per_s) add("link", "bandwidth", "B/s", *curve.fit->bytes_per_s, true);
    add("link", "latency", "s", curve.fit->latency_s, false);
  }
  return found;
}

}  // namespace stallscope
