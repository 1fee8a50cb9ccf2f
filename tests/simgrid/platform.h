#pragma once

#include <vector>

#include "stallscope/cost/routes.h"

namespace stallscope::simulated {

/// One message of a collective, or one piece of work. It starts when those that it waits for have arrived,
/// and when the last byte of the one before it, from the same sender to the same receiver, has left.
struct Message {
  int from = 0;
  int to = 0;
  double bytes = 0;
  std::vector<int> after;  ///< earlier messages of the same schedule
  int stream = 0;          ///< of this sender to this receiver
  double compute_s = 0;    ///< not a message: the sender computes for so long, beside whatever it sends
};
using Schedule = std::vector<Message>;

/// Which links, each one way, a message passes on its way between two endpoints.
struct Path {
  int from = 0;
  int to = 0;
  std::vector<int> links;
};

/// All that is simulated: links and paths between endpoints. Nothing here knows a formula.
struct Platform {
  int endpoints = 0;
  std::vector<cost::Link> links;
  std::vector<Path> paths;
};

/// Equal machines on a network that only their interfaces limit, added to a platform.
class Cluster {
 public:
  Cluster(Platform& platform, const cost::Topology& machine, const cost::Network& network, int machines);

  /// A new endpoint at a part of a machine.
  int Endpoint(int machine, int part);
  int GpuEndpoint(int machine, int gpu) { return Endpoint(machine, gpus_[gpu]); }
  /// Between two endpoints, one way; across machines through the NIC with this number in both.
  void Connect(int from, int to, int nic = 0, cost::PeerAccess peer_access = cost::PeerAccess::kOn);

 private:
  struct Place {
    int machine = 0;
    int part = 0;
  };
  void Append(std::vector<int>& links, int machine, const cost::Route& route) const;

  Platform& platform_;
  cost::Topology machine_;
  std::vector<int> gpus_;
  std::vector<int> nics_;
  int first_endpoint_;
  std::vector<Place> places_;   // of the endpoints from first_endpoint_ on
  std::vector<int> first_way_;  // by machine: the link of its way 0
  std::vector<int> first_nic_;  // by machine: two links per NIC, out and in
};

}  // namespace stallscope::simulated
