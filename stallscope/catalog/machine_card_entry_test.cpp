#include "stallscope/catalog/machine_card_entry.h"

#include <gtest/gtest.h>

#include "stallscope/base/error.h"
#include "stallscope/document/machine_card.h"

namespace stallscope {
namespace {

MachineCard Card() {
  MachineCard card;
  card.created = "2026-11-17T20:00:00Z";
  card.host = {.name = "node7", .kernel = "6.1"};
  card.topology.threads = 96;
  card.topology.memory_bytes = 1'000'000'000'000;
  card.topology.numa_nodes = 2;
  for (int i = 0; i < 2; ++i) {
    card.gpus.push_back(
        {.name = "NVIDIA A100-SXM4-40GB", .memory_bytes = 42'500'000'000, .pcie_width = i == 0 ? 16 : 8});
  }
  card.interfaces = {{.name = "eth0", .bytes_per_s = 12.5e9, .state = "up"},
                     {.name = "eth1", .bytes_per_s = 12.5e9, .state = "down"},
                     {.name = "veth0", .bytes_per_s = 1e9, .state = "up", .is_virtual = true}};
  return card;
}

TEST(MachineFromCard, ACardIsAnEntryOfTheCatalog) {
  const Machine machine = MachineFromCard(ToJson(Card()), "card.json");
  EXPECT_EQ(FullName(machine), "own/node7");
  EXPECT_EQ(machine.gpu, "A100-SXM4-40GB") << "as the GPU table has it";
  EXPECT_EQ(machine.gpus, 2);
  EXPECT_EQ(machine.vcpus, 96);
  EXPECT_EQ(machine.memory->value, 1e12);
  EXPECT_EQ(machine.pcie_width, 8) << "of the GPU that has fewest lanes";
  EXPECT_EQ(machine.network_ceiling->value, 12.5e9) << "interfaces that are up and have a device";
}

TEST(MachineFromCard, WhatTheCardDoesNotSayIsUnknown) {
  MachineCard card = Card();
  card.interfaces.clear();
  card.topology.memory_bytes.reset();
  const Machine machine = MachineFromCard(ToJson(card), "card.json");
  EXPECT_EQ(machine.network_ceiling, std::nullopt);
  EXPECT_EQ(machine.memory, std::nullopt);
  EXPECT_EQ(machine.disk_ceiling, std::nullopt);
}

TEST(MachineFromCard, AnotherDocumentIsRefused) {
  EXPECT_THROW(MachineFromCard(R"({"schema": "stallscope.profile/1"})", "profile.json"), Error);
}

}  // namespace
}  // namespace stallscope
