#pragma once

#include <vector>

#include "stallscope/cost/topology.h"

namespace stallscope::cost {

/// The usual machines. Each has NICs at its switches (or hosts) in turn, as many as asked for.
struct PcieTree {
  int gpus = 4;
  int gpus_per_switch = 0;  ///< 0: GPUs hang at the host bridge, without a switch
  int sockets = 1;          ///< switches (or GPUs) are dealt out in equal, consecutive shares
  int nics = 1;
  Link gpu;     ///< GPU to switch or host
  Link uplink;  ///< switch to host
  Link socket;  ///< between neighbouring hosts
  Link nic;     ///< NIC to switch or host
};
Topology MakePcieTree(const PcieTree& tree);

/// The PCIe tree with NVLinks on top: count[i][j] links of `nvlink` each between GPUs i and j.
Topology MakeNvlinkMesh(const PcieTree& tree, const std::vector<std::vector<int>>& count, const Link& nvlink);
/// The PCIe tree, and every GPU with one wire (all its NVLinks) to an NVSwitch that never limits.
Topology MakeNvswitch(const PcieTree& tree, const Link& nvlinks);

/// NVLinks of DGX-1's eight GPUs: four per GPU (P100), or six (V100: half of the pairs are doubled). The
/// first four rows and columns are p3.8xlarge and other halves of the machine.
std::vector<std::vector<int>> HybridCubeP100();
std::vector<std::vector<int>> HybridCubeV100();
/// Bridges of `links` NVLinks between GPUs 0-1, 2-3, ...
std::vector<std::vector<int>> NvlinkPairs(int gpus, int links);

}  // namespace stallscope::cost
