#include "tests/simgrid/cells.h"

#include "stallscope/cost/topology_shapes.h"
#include "tests/simgrid/machines.h"
#include "tests/simgrid/setup.h"

namespace stallscope::simulated {
namespace {

using cost::PcieTree;
using cost::PeerAccess;

void AddOneMachine(Cells& cells) {
  Setup(cells, "PCIe, 4 GPUs, 2 per switch", MakePcieTree(Tree(4, 2, 1, 1))).Ring().Tree().HostReduce();
  const cost::Topology eight = MakePcieTree(Tree(8, 4, 1, 1));
  Setup(cells, "PCIe, 8 GPUs, 4 per switch (p2.8xlarge)", eight).Ring().Tree().HostReduce();
  Setup(cells, "the same, peer access off", eight, {}, 1, PeerAccess::kOff).Ring();
  Setup(cells, "PCIe, 16 GPUs, 2 sockets", MakePcieTree(Tree(16, 4, 2, 1))).Ring();
  const PcieTree dgx = Tree(8, 2, 2, 4);
  Setup(cells, "NVLink hybrid cube, 8 P100", MakeNvlinkMesh(dgx, cost::HybridCubeP100(), kNvlink1)).Ring();
  Setup(cells, "NVLink hybrid cube, 8 V100", MakeNvlinkMesh(dgx, cost::HybridCubeV100(), kNvlink2)).Ring();
  const PcieTree half = Tree(4, 0, 1, 1);
  Setup(cells, "half a hybrid cube, 4 V100 (p3.8xlarge)",
        MakeNvlinkMesh(half, cost::HybridCubeV100(), kNvlink2))
      .Ring();
  Setup(cells, "NVLink pairs, 8 GPUs, 2 sockets", MakeNvlinkMesh(dgx, cost::NvlinkPairs(8, 2), kNvlink2))
      .Ring();
  Setup(cells, "NVSwitch, 8 GPUs", MakeNvswitch(dgx, kTwelveNvlink3)).Ring().Tree();
}

void AddClusters(Cells& cells) {
  const cost::Topology single = MakePcieTree(Tree(1, 0, 1, 1));
  for (const int machines : {2, 4, 8}) {
    const std::string name = std::to_string(machines) + " machines, 1 GPU, 10 Gbit";
    Setup(cells, name, single, kTenGigabit, machines).Ring().Tree().Binomial();
  }
  const cost::Topology four = MakePcieTree(Tree(4, 2, 1, 1));
  Setup(cells, "2 machines, 4 GPUs on PCIe, 10 Gbit", four, kTenGigabit, 2)
      .Ring()
      .Hierarchical(1)
      .Hierarchical(4)
      .Tree();
  Setup(cells, "4 machines, 4 GPUs on PCIe, 10 Gbit", four, kTenGigabit, 4).Ring().Hierarchical(1).Tree();
  const cost::Topology nvswitch = MakeNvswitch(Tree(8, 2, 2, 4), kTwelveNvlink3);
  Setup(cells, "4 machines, NVSwitch, 8 GPUs, 4 x 100 Gbit", nvswitch, kHundredGigabit, 4)
      .Ring()
      .Hierarchical(1);
  Setup(cells, "5 machines, 1 GPU, 10 Gbit", single, kTenGigabit, 5).Servers(1, false);
  Setup(cells, "6 machines, 1 GPU, 10 Gbit", single, kTenGigabit, 6).Servers(2, false);
  Setup(cells, "8 machines, 1 GPU, 10 Gbit", single, kTenGigabit, 8).Servers(8, true).Servers(2, true);
}

}  // namespace

Cells AllCells() {
  Cells cells;
  AddOneMachine(cells);
  AddClusters(cells);
  return cells;
}

}  // namespace stallscope::simulated
