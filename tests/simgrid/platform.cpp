#include "tests/simgrid/platform.h"

namespace stallscope::simulated {

Cluster::Cluster(Platform& platform, const cost::Topology& machine, const cost::Network& network,
                 int machines)
    : platform_(platform),
      machine_(machine),
      gpus_(machine.All(cost::Part::kGpu)),
      nics_(machine.All(cost::Part::kNic)),
      first_endpoint_(platform.endpoints) {
  for (int i = 0; i < machines; ++i) {
    first_way_.push_back(static_cast<int>(platform.links.size()));
    for (const cost::Wire& wire : machine.wires) {
      platform.links.push_back(wire.link);
      platform.links.push_back(wire.link);
    }
    first_nic_.push_back(static_cast<int>(platform.links.size()));
    for (std::size_t nic = 0; nic < nics_.size(); ++nic) {
      platform.links.push_back(network.interface);
      platform.links.push_back({.bandwidth = network.interface.bandwidth});
    }
  }
}

int Cluster::Endpoint(int machine, int part) {
  places_.push_back({machine, part});
  return platform_.endpoints++;
}

void Cluster::Append(std::vector<int>& links, int machine, const cost::Route& route) const {
  for (const cost::Way way : route.ways) links.push_back(first_way_[machine] + way);
}

void Cluster::Connect(int from, int to, int nic, cost::PeerAccess peer_access) {
  const Place a = places_.at(from - first_endpoint_);
  const Place b = places_.at(to - first_endpoint_);
  Path path{.from = from, .to = to};
  if (a.machine == b.machine) {
    Append(path.links, a.machine, cost::GpuRoute(machine_, a.part, b.part, peer_access));
  } else {
    Append(path.links, a.machine, cost::RouteBetween(machine_, a.part, nics_.at(nic)));
    path.links.push_back(first_nic_[a.machine] + 2 * nic);
    path.links.push_back(first_nic_[b.machine] + 2 * nic + 1);
    Append(path.links, b.machine, cost::RouteBetween(machine_, nics_.at(nic), b.part));
  }
  platform_.paths.push_back(std::move(path));
}

}  // namespace stallscope::simulated
