#include "tests/simgrid/simulator.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <simgrid/s4u.hpp>
#include <string>
#include <tuple>
#include <utility>

namespace stallscope::simulated {
namespace {

namespace s4u = simgrid::s4u;

using Latencies = std::map<std::pair<int, int>, double>;  // by sender and receiver

/// Flows share a link equally, as on wires; SimGrid's defaults are those of TCP on a wide network: 97 % of
/// the bandwidth, 13 times the latency, a window, shares by round-trip time, and crossing acknowledgements.
void Configure() {
  for (const char* setting :
       {"network/model:CM02", "network/bandwidth-factor:1", "network/latency-factor:1", "network/weight-S:0",
        "network/TCP-gamma:0", "network/crosstraffic:no", "surf/precision:1e-12", "maxmin/precision:1e-9"}) {
    s4u::Engine::set_config(setting);
  }
}

std::vector<s4u::Host*> Build(const Platform& platform) {
  s4u::NetZone* zone = s4u::create_full_zone("all");
  std::vector<s4u::Host*> hosts;
  for (int i = 0; i < platform.endpoints; ++i)
    hosts.push_back(zone->create_host("e" + std::to_string(i), 1e9));
  std::vector<const s4u::Link*> links;
  for (std::size_t i = 0; i < platform.links.size(); ++i) {
    s4u::Link* link = zone->create_link("l" + std::to_string(i), platform.links[i].bandwidth.value);
    links.push_back(link->set_latency(0)->seal());
  }
  for (const Path& path : platform.paths) {
    std::vector<s4u::LinkInRoute> route;
    for (const int link : path.links) route.emplace_back(links[link]);
    zone->add_route(hosts[path.from]->get_netpoint(), hosts[path.to]->get_netpoint(), nullptr, nullptr, route,
                    false);
  }
  zone->seal();
  return hosts;
}

/// One schedule under way.
class Run {
 public:
  Run(const Schedule& schedule, const std::vector<s4u::Host*>& hosts, const Latencies& latencies)
      : schedule_(schedule),
        hosts_(hosts),
        latencies_(latencies),
        awaited_(schedule.size()),
        arrives_(schedule.size()) {
    std::map<std::tuple<int, int, int>, int> last;
    leaves_.resize(schedule.size());
    for (int i = 0; i < static_cast<int>(schedule.size()); ++i) {
      const Message& message = schedule[i];
      awaited_[i] = static_cast<int>(message.after.size());
      for (const int earlier : message.after) arrives_.at(earlier).push_back(i);
      if (message.compute_s > 0) continue;
      const auto [before, first] = last.try_emplace({message.from, message.to, message.stream}, i);
      if (first) continue;
      leaves_[before->second].push_back(i);
      ++awaited_[i];
      before->second = i;
    }
    for (int i = 0; i < static_cast<int>(schedule.size()); ++i) {
      if (awaited_[i] == 0) Start(i);
    }
  }

  void Finish() {
    while (!flows_.empty() || !arrivals_.empty()) {
      if (flows_.empty()) {
        s4u::this_actor::sleep_until(arrivals_.top().first);
      } else {
        const double now = s4u::Engine::get_clock();
        const double timeout = arrivals_.empty() ? -1 : std::max(0.0, arrivals_.top().first - now);
        const ssize_t done = s4u::Comm::wait_any_for(flows_, timeout);
        if (done >= 0) Left(done);
      }
      while (!arrivals_.empty() && arrivals_.top().first <= s4u::Engine::get_clock() + 1e-12) {
        const int arrived = arrivals_.top().second;
        arrivals_.pop();
        Release(arrives_[arrived]);
      }
    }
  }

 private:
  void Start(int i) {
    const Message& message = schedule_[i];
    if (message.compute_s > 0) {
      arrivals_.emplace(s4u::Engine::get_clock() + message.compute_s, i);
      return;
    }
    flows_.push_back(s4u::Comm::sendto_async(hosts_[message.from], hosts_[message.to],
                                             static_cast<std::uint64_t>(std::llround(message.bytes))));
    message_of_flow_.push_back(i);
  }

  void Left(ssize_t flow) {
    const int i = message_of_flow_[flow];
    flows_.erase(flows_.begin() + flow);
    message_of_flow_.erase(message_of_flow_.begin() + flow);
    const double latency = latencies_.at({schedule_[i].from, schedule_[i].to});
    arrivals_.emplace(s4u::Engine::get_clock() + latency, i);
    Release(leaves_[i]);
  }

  void Release(const std::vector<int>& followers) {
    for (const int next : followers) {
      if (--awaited_[next] == 0) Start(next);
    }
  }

  using Arrival = std::pair<double, int>;
  const Schedule& schedule_;
  const std::vector<s4u::Host*>& hosts_;
  const Latencies& latencies_;
  std::vector<int> awaited_;               // events that each message still waits for
  std::vector<std::vector<int>> arrives_;  // who waits for its arrival
  std::vector<std::vector<int>> leaves_;   // who waits for its last byte to leave
  std::vector<s4u::CommPtr> flows_;
  std::vector<int> message_of_flow_;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
};

Latencies LatenciesOf(const Platform& platform) {
  Latencies latencies;
  for (const Path& path : platform.paths) {
    double& latency = latencies[{path.from, path.to}];
    for (const int link : path.links) latency += platform.links[link].latency.count();
  }
  return latencies;
}

}  // namespace

Simulation Simulate(const Platform& platform, std::span<const Schedule> schedules) {
  int arguments = 1;
  std::string name = "simulator";
  char* argument = name.data();
  s4u::Engine engine(&arguments, &argument);
  Configure();
  const std::vector<s4u::Host*> hosts = Build(platform);
  const Latencies latencies = LatenciesOf(platform);
  Simulation simulation;
  s4u::Actor::create("clock", hosts.at(0), [&] {
    for (const Schedule& schedule : schedules) {
      const double begin = s4u::Engine::get_clock();
      const auto wall = std::chrono::steady_clock::now();
      Run(schedule, hosts, latencies).Finish();
      simulation.simulated_s.push_back(s4u::Engine::get_clock() - begin);
      simulation.simulating_s.push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count());
    }
  });
  engine.run();
  return simulation;
}

}  // namespace stallscope::simulated
