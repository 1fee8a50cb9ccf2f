#include "stallscope/cost/topology.h"

#include <fmt/format.h>

#include "stallscope/base/error.h"

namespace stallscope::cost {

int Topology::Add(Part part) {
  parts.push_back(part);
  return static_cast<int>(parts.size()) - 1;
}

void Topology::Connect(int a, int b, const Link& link) {
  wires.push_back({.a = a, .b = b, .link = link});
}

std::vector<int> Topology::All(Part part) const {
  std::vector<int> found;
  for (int i = 0; i < static_cast<int>(parts.size()); ++i) {
    if (parts[i] == part) found.push_back(i);
  }
  return found;
}

void Check(const Topology& topology) {
  const int parts = static_cast<int>(topology.parts.size());
  for (const Wire& wire : topology.wires) {
    const auto known = [parts](int part) { return part >= 0 && part < parts; };
    if (!known(wire.a) || !known(wire.b) || wire.a == wire.b) {
      throw Error(fmt::format("a wire connects part {} with part {} of {}", wire.a, wire.b, parts),
                  "connect two different parts, numbered from 0");
    }
    // Written so that a bandwidth that is no number fails too.
    if (!(wire.link.bandwidth.value > 0) || !(wire.link.latency.count() >= 0)) {
      throw Error(fmt::format("the wire between parts {} and {} has {} B/s and a latency of {} s", wire.a,
                              wire.b, wire.link.bandwidth.value, wire.link.latency.count()),
                  "give it a bandwidth above zero and a latency of zero or more");
    }
  }
}

Topology WithFirstGpus(const Topology& topology, int gpus) {
  std::vector<int> renamed(topology.parts.size(), -1);
  Topology kept;
  int seen = 0;
  for (std::size_t i = 0; i < topology.parts.size(); ++i) {
    if (topology.parts[i] == Part::kGpu && seen++ >= gpus) continue;
    renamed[i] = kept.Add(topology.parts[i]);
  }
  if (seen < gpus) {
    throw Error(fmt::format("the machine has {} GPUs, not {}", seen, gpus),
                "use fewer GPUs, or more machines");
  }
  for (const Wire& wire : topology.wires) {
    if (renamed[wire.a] >= 0 && renamed[wire.b] >= 0)
      kept.Connect(renamed[wire.a], renamed[wire.b], wire.link);
  }
  return kept;
}

}  // namespace stallscope::cost
