#pragma once

#include <functional>
#include <string>
#include <vector>

#include "stallscope/cost/machine_plan.h"
#include "stallscope/cost/step.h"
#include "tests/simgrid/cells.h"

namespace stallscope::simulated {

/// A kind of machine, some of them, and the cells that they fill: each payload of 4 kB, 1 MB and 100 MB.
class Setup {
 public:
  Setup(Cells& cells, std::string name, const cost::Topology& machine, const cost::Network& network = {},
        int machines = 1, cost::PeerAccess peer_access = cost::PeerAccess::kOn);

  Setup& Ring();
  /// Ring inside, rings of equal GPUs across, ring inside; in pieces, each phase of a piece after that of the
  /// piece before. For machines with one ring inside.
  Setup& Hierarchical(int pieces);
  /// A chain in each machine, to the GPU that is in both trees.
  Setup& Tree();
  /// First GPUs only.
  Setup& Binomial();
  /// Servers in the last machines, or beside the first workers.
  Setup& Servers(int servers, bool colocated);
  Setup& HostReduce();
  /// A whole step: forward pass, backward pass bucket by bucket, rings as in Ring() beside it, optimiser. A
  /// rank joins a bucket's all-reduce when its gradients are there and it is through with the bucket before.
  Setup& Step(const std::string& network, const cost::StepCompute& compute,
              const std::vector<cost::GradientBucket>& buckets);

 private:
  using AddMessages = std::function<Seconds(Bytes, Schedule&)>;
  Cluster NewCluster() { return Cluster(cells_.platform, machine_, network_, machines_); }
  /// `add` adds a collective's messages and returns what the formula says.
  void Fill(const std::string& collective, const AddMessages& add);
  std::vector<int> RingEndpoints(Cluster& cluster, const cost::Ring& ring) const;
  void ConnectRing(Cluster& cluster, const std::vector<int>& ends, int nic) const;
  void ConnectToParents(Cluster& cluster, const std::vector<int>& ranks, const std::vector<int>& parent,
                        const std::vector<int>& connected) const;
  int NicOf(int gpu) const;

  Cells& cells_;
  std::string name_;
  cost::Topology machine_;
  cost::Network network_;
  int machines_;
  cost::PeerAccess peer_access_;
  cost::MachinePlan plan_;
};

}  // namespace stallscope::simulated
