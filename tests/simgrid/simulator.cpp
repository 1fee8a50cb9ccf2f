#include "tests/simgrid/simulator.h"

#include <cmath>
#include <cstdint>
#include <simgrid/s4u.hpp>
#include <string>

namespace stallscope::simulated {
namespace {

namespace s4u = simgrid::s4u;

/// A message takes latency + bytes / share, as on wires; SimGrid's defaults are those of TCP on a wide
/// network: 97 % of the bandwidth, 13 times the latency, a window, and crossing acknowledgements.
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
    links.push_back(link->set_latency(platform.links[i].latency.count())->seal());
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

void RunSchedule(const Schedule& schedule, const std::vector<s4u::Host*>& hosts) {
  std::vector<int> awaited(schedule.size());
  std::vector<std::vector<int>> followers(schedule.size());
  std::vector<s4u::CommPtr> under_way;
  std::vector<int> id;
  const auto start = [&](int i) {
    const Message& message = schedule[i];
    under_way.push_back(s4u::Comm::sendto_async(hosts[message.from], hosts[message.to],
                                                static_cast<std::uint64_t>(std::llround(message.bytes))));
    id.push_back(i);
  };
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    awaited[i] = static_cast<int>(schedule[i].after.size());
    for (const int earlier : schedule[i].after) followers.at(earlier).push_back(static_cast<int>(i));
    if (awaited[i] == 0) start(static_cast<int>(i));
  }
  while (!under_way.empty()) {
    const auto done = s4u::Comm::wait_any(under_way);
    const int finished = id[done];
    under_way.erase(under_way.begin() + done);
    id.erase(id.begin() + done);
    for (const int next : followers[finished]) {
      if (--awaited[next] == 0) start(next);
    }
  }
}

}  // namespace

std::vector<double> Simulate(const Platform& platform, std::span<const Schedule> schedules) {
  int arguments = 1;
  std::string name = "simulator";
  char* argument = name.data();
  s4u::Engine engine(&arguments, &argument);
  Configure();
  const std::vector<s4u::Host*> hosts = Build(platform);
  std::vector<double> times;
  s4u::Actor::create("clock", hosts.at(0), [&] {
    for (const Schedule& schedule : schedules) {
      const double begin = s4u::Engine::get_clock();
      RunSchedule(schedule, hosts);
      times.push_back(s4u::Engine::get_clock() - begin);
    }
  });
  engine.run();
  return times;
}

}  // namespace stallscope::simulated
