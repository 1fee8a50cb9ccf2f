#pragma once

#include "stallscope/cost/topology_shapes.h"

namespace stallscope::simulated {

/// The wires of all simulated machines.
using namespace std::chrono_literals;

inline const cost::Link kPcie{.latency = 2us, .bandwidth = {12e9}};
inline const cost::Link kSocket{.latency = 3us, .bandwidth = {8e9}};
inline const cost::Link kNvlink1{.latency = 1us, .bandwidth = {20e9}};
inline const cost::Link kNvlink2{.latency = 1us, .bandwidth = {25e9}};
inline const cost::Link kTwelveNvlink3{.latency = 1us, .bandwidth = {300e9}};
inline const cost::Network kTenGigabit{.interface = {.latency = 25us, .bandwidth = GigabitsPerSecond(10)}};
inline const cost::Network kHundredGigabit{
    .interface = {.latency = 5us, .bandwidth = GigabitsPerSecond(100)}};

inline cost::PcieTree Tree(int gpus, int gpus_per_switch, int sockets, int nics) {
  return {.gpus = gpus,
          .gpus_per_switch = gpus_per_switch,
          .sockets = sockets,
          .nics = nics,
          .gpu = kPcie,
          .uplink = kPcie,
          .socket = kSocket,
          .nic = kPcie};
}

}  // namespace stallscope::simulated
