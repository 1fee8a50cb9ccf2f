#include "stallscope/machine/topology.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

/// Two packages of 3 cores with 2 threads each; on the first a GPU and a network card, on the second a GPU
/// whose link is unknown, a disk, and the display of the server's console.
TopologyFacts Server() {
  return ReadTopology(std::filesystem::path(__FILE__).parent_path() /
                      "../../tests/topologies/two-packages-two-gpus.xml");
}

TEST(Topology, ARecordedServerIsReadWhole) {
  const TopologyFacts server = Server();
  EXPECT_EQ(server.packages, 2);
  EXPECT_EQ(server.numa_nodes, 2);
  EXPECT_EQ(server.cores, 6);
  EXPECT_EQ(server.threads, 12);
  EXPECT_EQ(server.memory_bytes, std::int64_t{2} << 39);  // 512 GiB per package
  ASSERT_EQ(server.caches.size(), 3U);
  EXPECT_EQ(server.caches[0].type, "data");
  EXPECT_EQ(server.caches[2].level, 3);
  EXPECT_EQ(server.caches[2].bytes, 36 << 20);
  EXPECT_EQ(server.caches[2].count, 2);
  EXPECT_EQ(server.caches[2].threads, 6);
}

TEST(Topology, DevicesHaveTheirKindTheirPlaceAndTheirLink) {
  const std::vector<PciDeviceFacts> devices = Server().pci_devices;
  ASSERT_EQ(devices.size(), 5U);
  EXPECT_EQ(devices[0].address, "0000:3b:00.0");
  EXPECT_EQ(devices[0].kind, "gpu");
  EXPECT_EQ(devices[0].id, "10de:20b0");
  EXPECT_EQ(devices[0].numa_node, 0);
  EXPECT_NEAR(devices[0].link_bytes_per_s.value(), 31.5e9, 0.1e9);  // generation 4, 16 lanes
  EXPECT_EQ(devices[1].kind, "network");
  EXPECT_EQ(devices[1].devices, std::vector<std::string>{"enp59s0f0"});
  EXPECT_EQ(devices[2].numa_node, 1);
  EXPECT_FALSE(devices[2].link_bytes_per_s);
  EXPECT_EQ(devices[3].kind, "storage");
  EXPECT_EQ(devices[4].kind, "display");
}

TEST(Topology, TheLastLevelIsThatOfOneCacheOrOfAll) {
  const auto cache = LastLevelOf(Server());
  EXPECT_EQ(cache.value().one, 36 << 20);
  EXPECT_EQ(cache.value().all, 72 << 20);
  EXPECT_FALSE(LastLevelOf({}));
}

TEST(Topology, ThePrivateCacheIsTheLargestThatNoOtherCoreShares) {
  EXPECT_EQ(PrivateCacheOf(Server()), Server().caches[1].bytes);
  EXPECT_FALSE(PrivateCacheOf({}));
  TopologyFacts shared;
  shared.cores = 2;
  shared.threads = 4;
  shared.caches = {{.level = 2, .type = "unified", .bytes = 1 << 20, .count = 1, .threads = 4},
                   {.level = 1, .type = "instruction", .bytes = 32 << 10, .count = 2, .threads = 2}};
  EXPECT_FALSE(PrivateCacheOf(shared));
  shared.caches.push_back({.level = 1, .type = "data", .bytes = 48 << 10, .count = 2, .threads = 2});
  EXPECT_EQ(PrivateCacheOf(shared), 48 << 10);
}

TEST(Topology, ThisMachineHasThreads) {
  EXPECT_GE(ReadTopology().threads.value(), 1);
}

TEST(Topology, WhatIsNoRecordedMachineIsNamed) {
  try {
    ReadTopology("/no/such/machine.xml");
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("/no/such/machine.xml"), std::string::npos);
  }
}

}  // namespace
}  // namespace stallscope
