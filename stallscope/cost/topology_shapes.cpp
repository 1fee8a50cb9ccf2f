#include "stallscope/cost/topology_shapes.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "stallscope/base/error.h"

namespace stallscope::cost {
namespace {

using LinkCounts = std::vector<std::vector<int>>;

void CheckShape(const PcieTree& tree) {
  const bool counts = tree.gpus >= 1 && tree.sockets >= 1 && tree.nics >= 0 && tree.gpus_per_switch >= 0;
  if (!counts) {
    throw Error("a PCIe tree has a negative count, or no GPU or socket",
                "give it at least one GPU and one socket");
  }
}

/// Item i of n, dealt to sockets in equal, consecutive shares.
int SocketOf(int i, int n, int sockets) {
  return static_cast<int>(static_cast<long>(i) * sockets / n);
}

LinkCounts Symmetric(int gpus, std::initializer_list<std::pair<std::pair<int, int>, int>> pairs) {
  LinkCounts count(gpus, std::vector<int>(gpus, 0));
  for (const auto& [pair, links] : pairs) {
    count[pair.first][pair.second] = links;
    count[pair.second][pair.first] = links;
  }
  return count;
}

}  // namespace

Topology MakePcieTree(const PcieTree& tree) {
  CheckShape(tree);
  Topology machine;
  for (int i = 0; i < tree.gpus; ++i) machine.Add(Part::kGpu);
  std::vector<int> hosts;
  for (int i = 0; i < tree.sockets; ++i) {
    hosts.push_back(machine.Add(Part::kHost));
    if (i > 0) machine.Connect(hosts[i - 1], hosts[i], tree.socket);
  }
  std::vector<int> branches;  // what GPUs and NICs hang at
  if (tree.gpus_per_switch == 0) {
    for (int i = 0; i < tree.gpus; ++i)
      machine.Connect(i, hosts[SocketOf(i, tree.gpus, tree.sockets)], tree.gpu);
    branches = hosts;
  } else {
    const int switches = (tree.gpus + tree.gpus_per_switch - 1) / tree.gpus_per_switch;
    for (int i = 0; i < switches; ++i) {
      branches.push_back(machine.Add(Part::kSwitch));
      machine.Connect(branches[i], hosts[SocketOf(i, switches, tree.sockets)], tree.uplink);
    }
    for (int i = 0; i < tree.gpus; ++i) machine.Connect(i, branches[i / tree.gpus_per_switch], tree.gpu);
  }
  for (int i = 0; i < tree.nics; ++i) {
    machine.Connect(machine.Add(Part::kNic), branches[i % branches.size()], tree.nic);
  }
  return machine;
}

Topology MakeNvlinkMesh(const PcieTree& tree, const LinkCounts& count, const Link& nvlink) {
  if (static_cast<int>(count.size()) < tree.gpus) {
    throw Error("the NVLink table has fewer rows than the machine has GPUs",
                "give one row and column per GPU");
  }
  Topology machine = MakePcieTree(tree);
  for (int a = 0; a < tree.gpus; ++a) {
    for (int b = a + 1; b < tree.gpus; ++b) {
      const int links = count[a][b];
      if (links == 0) continue;
      machine.Connect(a, b, {.latency = nvlink.latency, .bandwidth = {links * nvlink.bandwidth.value}});
    }
  }
  return machine;
}

Topology MakeNvswitch(const PcieTree& tree, const Link& nvlinks) {
  Topology machine = MakePcieTree(tree);
  const int nvswitch = machine.Add(Part::kSwitch);
  for (int i = 0; i < tree.gpus; ++i) machine.Connect(i, nvswitch, nvlinks);
  return machine;
}

LinkCounts HybridCubeP100() {
  LinkCounts count = HybridCubeV100();
  for (std::vector<int>& row : count) {
    for (int& links : row) links = std::min(links, 1);
  }
  return count;
}

// As `nvidia-smi topo -m` prints it on a DGX-1 with V100 and on p3.16xlarge.
LinkCounts HybridCubeV100() {
  return Symmetric(8, {{{0, 1}, 1},
                       {{0, 2}, 1},
                       {{0, 3}, 2},
                       {{0, 4}, 2},
                       {{1, 2}, 2},
                       {{1, 3}, 1},
                       {{1, 5}, 2},
                       {{2, 3}, 2},
                       {{2, 6}, 1},
                       {{3, 7}, 1},
                       {{4, 5}, 1},
                       {{4, 6}, 1},
                       {{4, 7}, 2},
                       {{5, 6}, 2},
                       {{5, 7}, 1},
                       {{6, 7}, 2}});
}

LinkCounts NvlinkPairs(int gpus, int links) {
  LinkCounts count(gpus, std::vector<int>(gpus, 0));
  for (int i = 0; i + 1 < gpus; i += 2) count[i][i + 1] = count[i + 1][i] = links;
  return count;
}

}  // namespace stallscope::cost
