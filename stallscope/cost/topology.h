#pragma once

#include <vector>

#include "stallscope/cost/link.h"

namespace stallscope::cost {

/// What a machine's wires connect. Bytes pass through switches and hosts; they start and end at GPUs and
/// NICs.
enum class Part {
  kGpu,
  kSwitch,  ///< PCIe switch or NVSwitch
  kHost,    ///< one socket: its host bridge and memory
  kNic,
};

/// A wire between two parts, by their index, with the same link each way: one PCIe connection, or all NVLinks
/// of a pair together.
struct Wire {
  int a = 0;
  int b = 0;
  Link link;
};

/// One machine as a graph. GPUs and NICs are numbered in the order in which they stand in `parts`.
struct Topology {
  std::vector<Part> parts;
  std::vector<Wire> wires;

  /// Returns the new part's index.
  int Add(Part part);
  void Connect(int a, int b, const Link& link);
  /// Indices into `parts`.
  std::vector<int> All(Part part) const;
};

/// Throws Error where a wire leads nowhere or has no bandwidth.
void Check(const Topology& topology);

/// The same machine with its first `gpus` GPUs only, for jobs that do not use all.
Topology WithFirstGpus(const Topology& topology, int gpus);

}  // namespace stallscope::cost
