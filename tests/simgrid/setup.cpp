#include "tests/simgrid/setup.h"

#include <algorithm>

#include "stallscope/cost/parameter_server.h"
#include "tests/simgrid/schedules.h"

namespace stallscope::simulated {
namespace {

constexpr Bytes kPayloads[] = {{4e3}, {1e6}, {100e6}};

void Join(std::vector<int>& to, const std::vector<int>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

std::vector<int> Endpoints(Cluster& cluster, int machine, const std::vector<int>& gpus) {
  std::vector<int> ends;
  for (const int gpu : gpus) ends.push_back(cluster.GpuEndpoint(machine, gpu));
  return ends;
}

}  // namespace

Setup::Setup(Cells& cells, std::string name, const cost::Topology& machine, const cost::Network& network,
             int machines, cost::PeerAccess peer_access)
    : cells_(cells),
      name_(std::move(name)),
      machine_(machine),
      network_(network),
      machines_(machines),
      peer_access_(peer_access),
      plan_(cost::PlanMachine(machine, network, peer_access)) {}

Setup& Setup::Ring() {
  const cost::RingPlan& plan = machines_ == 1 ? plan_.inside : *plan_.across;
  Cluster cluster = NewCluster();
  std::vector<std::vector<int>> rings;
  for (const cost::Ring& ring : plan.rings) rings.push_back(RingEndpoints(cluster, ring));
  Fill("ring", [&](Bytes payload, Schedule& schedule) {
    for (std::size_t i = 0; i < rings.size(); ++i) {
      const int ranks = static_cast<int>(rings[i].size());
      const double share = plan.rings[i].bandwidth.value / plan.bandwidth.value;
      AddRing(schedule, rings[i], 2 * (ranks - 1), payload.value * share / ranks, {});
    }
    return cost::FlatAllReduceTime(payload, plan_, machines_);
  });
  return *this;
}

Setup& Setup::Hierarchical(int pieces) {
  Cluster cluster = NewCluster();
  std::vector<std::vector<int>> inside, across(plan_.gpus);
  for (int m = 0; m < machines_; ++m) {
    inside.push_back(Endpoints(cluster, m, plan_.inside.rings.at(0).gpus));
    ConnectRing(cluster, inside.back(), 0);
    for (int g = 0; g < plan_.gpus; ++g) across[g].push_back(inside[m][g]);
  }
  for (int g = 0; g < plan_.gpus; ++g) ConnectRing(cluster, across[g], NicOf(plan_.inside.rings[0].gpus[g]));
  const std::string name =
      pieces == 1 ? "hierarchical" : "hierarchical, " + std::to_string(pieces) + " pieces";
  Fill(name, [&](Bytes payload, Schedule& schedule) {
    const double part = payload.value / pieces / plan_.gpus;
    std::vector<Awaited> scattered(machines_), crossed(plan_.gpus), gathered(machines_);
    for (int k = 0; k < pieces; ++k) {
      for (int m = 0; m < machines_; ++m) {
        scattered[m] = AddRing(schedule, inside[m], plan_.gpus - 1, part, scattered[m]);
      }
      for (int g = 0; g < plan_.gpus; ++g) {
        Awaited before = crossed[g];
        before.resize(machines_);
        for (int m = 0; m < machines_; ++m) Join(before[m], scattered[m][g]);
        crossed[g] = AddRing(schedule, across[g], 2 * (machines_ - 1), part / machines_, before);
      }
      for (int m = 0; m < machines_; ++m) {
        Awaited before = gathered[m];
        before.resize(plan_.gpus);
        for (int g = 0; g < plan_.gpus; ++g) Join(before[g], crossed[g][m]);
        gathered[m] = AddRing(schedule, inside[m], plan_.gpus - 1, part, before, 1);
      }
    }
    return cost::HierarchicalAllReduceTime(payload, plan_, machines_, pieces);
  });
  return *this;
}

Setup& Setup::Tree() {
  Cluster cluster = NewCluster();
  std::vector<int> ranks;
  std::vector<int> parents[2];
  const std::vector<int> trees[2] = {FirstTree(machines_), SecondTree(machines_)};
  const std::vector<int> order =
      machines_ == 1 ? plan_.inside.rings.at(0).gpus : plan_.across->rings.at(0).gpus;
  for (int m = 0; m < machines_; ++m) {
    for (int g = 0; g < plan_.gpus; ++g) {
      ranks.push_back(cluster.GpuEndpoint(m, order[g]));
      for (int t = 0; t < 2; ++t) {
        const int above = trees[t][m] < 0 ? -1 : trees[t][m] * plan_.gpus;
        parents[t].push_back(g > 0 ? m * plan_.gpus + g - 1 : above);
      }
    }
  }
  ConnectToParents(cluster, ranks, parents[0], {});
  ConnectToParents(cluster, ranks, parents[1], parents[0]);
  Fill("tree", [&](Bytes payload, Schedule& schedule) {
    for (int t = 0; t < 2; ++t) {
      AddTree(schedule, ranks, parents[t], payload.value / 2, cost::kPipelinePiece.value, t);
    }
    return cost::TreeAllReduceTime(payload, plan_, machines_);
  });
  return *this;
}

Setup& Setup::Binomial() {
  Cluster cluster = NewCluster();
  std::vector<int> ranks;
  for (int m = 0; m < machines_; ++m) ranks.push_back(cluster.GpuEndpoint(m, 0));
  for (const int a : ranks) {
    for (const int b : ranks) {
      if (a != b) cluster.Connect(a, b);
    }
  }
  Fill("binomial tree", [&](Bytes payload, Schedule& schedule) {
    AddBinomial(schedule, ranks, payload.value);
    return cost::BinomialAllReduceTime(payload, machines_, *plan_.cross);
  });
  return *this;
}

Setup& Setup::Servers(int servers, bool colocated) {
  Cluster cluster = NewCluster();
  std::vector<int> worker_ends, server_ends;
  const int workers = colocated ? machines_ : machines_ - servers;
  for (int m = 0; m < workers; ++m) worker_ends.push_back(cluster.GpuEndpoint(m, 0));
  for (int i = 0; i < servers; ++i)
    server_ends.push_back(cluster.GpuEndpoint(colocated ? i : workers + i, 0));
  for (int w = 0; w < workers; ++w) {
    for (int i = 0; i < servers; ++i) {
      if (colocated && w == i) continue;
      cluster.Connect(worker_ends[w], server_ends[i]);
      cluster.Connect(server_ends[i], worker_ends[w]);
    }
  }
  const std::string where = colocated ? " beside them" : "";
  Fill(std::to_string(workers) + " workers, " + std::to_string(servers) +
           (servers == 1 ? " server" : " servers") + where,
       [&](Bytes payload, Schedule& schedule) {
         AddServers(schedule, worker_ends, server_ends, payload.value / servers, colocated);
         return cost::ParameterServerTime(payload, {.workers = workers,
                                                    .servers = servers,
                                                    .worker = *plan_.cross,
                                                    .server = *plan_.cross,
                                                    .colocated = colocated});
       });
  return *this;
}

Setup& Setup::HostReduce() {
  Cluster cluster = NewCluster();
  const std::vector<int> gpus = machine_.All(cost::Part::kGpu);
  std::vector<int> ends, hosts;
  for (const int gpu : gpus) {
    ends.push_back(cluster.Endpoint(0, gpu));
    hosts.push_back(cluster.Endpoint(0, cost::Nearest(machine_, gpu, machine_.All(cost::Part::kHost))));
    cluster.Connect(ends.back(), hosts.back());
    cluster.Connect(hosts.back(), ends.back());
  }
  Fill("sum in host memory", [&](Bytes payload, Schedule& schedule) {
    std::vector<int> copied;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      schedule.push_back({ends[i], hosts[i], payload.value, {}});
      copied.push_back(static_cast<int>(i));
    }
    for (std::size_t i = 0; i < ends.size(); ++i)
      schedule.push_back({hosts[i], ends[i], payload.value, copied});
    return cost::HostReduceTime(payload, plan_.gpus, *plan_.host);
  });
  return *this;
}

void Setup::Fill(const std::string& collective, const AddMessages& add) {
  for (const Bytes payload : kPayloads) {
    Cell cell{.topology = name_, .collective = collective, .payload = payload};
    cell.formula_s = add(payload, cell.schedule).count();
    cells_.cells.push_back(std::move(cell));
  }
}

std::vector<int> Setup::RingEndpoints(Cluster& cluster, const cost::Ring& ring) const {
  std::vector<int> ends;
  for (int m = 0; m < machines_; ++m) Join(ends, Endpoints(cluster, m, ring.gpus));
  ConnectRing(cluster, ends, ring.nic);
  return ends;
}

void Setup::ConnectRing(Cluster& cluster, const std::vector<int>& ends, int nic) const {
  for (std::size_t i = 0; i < ends.size(); ++i) {
    cluster.Connect(ends[i], ends[(i + 1) % ends.size()], nic, peer_access_);
  }
}

/// Both ways; what `connected` has connected before is left out.
void Setup::ConnectToParents(Cluster& cluster, const std::vector<int>& ranks, const std::vector<int>& parent,
                             const std::vector<int>& connected) const {
  const auto known = [&connected](int a, int b) {
    return !connected.empty() && (connected[a] == b || connected[b] == a);
  };
  for (int i = 0; i < static_cast<int>(ranks.size()); ++i) {
    if (parent[i] < 0 || known(i, parent[i])) continue;
    cluster.Connect(ranks[i], ranks[parent[i]], 0, peer_access_);
    cluster.Connect(ranks[parent[i]], ranks[i], 0, peer_access_);
  }
}

/// The NIC at the GPU's own switch in the shapes below, where switch i has NIC i.
int Setup::NicOf(int gpu) const {
  const std::vector<int> nics = machine_.All(cost::Part::kNic);
  const int nearest = cost::Nearest(machine_, machine_.All(cost::Part::kGpu)[gpu], nics);
  return static_cast<int>(std::find(nics.begin(), nics.end(), nearest) - nics.begin());
}

}  // namespace stallscope::simulated
