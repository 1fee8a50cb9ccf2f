#include "stallscope/document/machine_card.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "stallscope/base/error.h"
#include "stallscope/document/schema_check_for_tests.h"

namespace stallscope {
namespace {

std::filesystem::path Source(const std::string& path) {
  return std::filesystem::path(__FILE__).parent_path() / "../.." / path;
}

std::string Violation(const Json& document) {
  return SchemaViolation(document, Source("docs/schema/machine-1.schema.json"));
}

/// Every field that there can be.
std::string Golden() {
  return ReadFile(Source("tests/golden/machine.json"));
}

MachineCard GoldenCard() {
  return MachineCardFromJson(Golden(), "machine.json");
}

std::optional<Quantity> Find(const MachineCard& card, const std::string& name) {
  for (const Quantity& quantity : QuantitiesOf(card)) {
    if (quantity.name == name) return quantity;
  }
  return std::nullopt;
}

TEST(MachineCard, WhatIsReadIsWrittenAgainTheSame) {
  EXPECT_EQ(Json::parse(ToJson(GoldenCard())), Json::parse(Golden()));
  EXPECT_EQ(Violation(Json::parse(ToJson(GoldenCard()))), "");
}

TEST(MachineCard, AnEmptyOneObeysTheSchemaAndHasNoQuantities) {
  MachineCard card;
  card.stopped_by = "end";
  EXPECT_EQ(Violation(Json::parse(ToJson(card))), "");
  EXPECT_TRUE(QuantitiesOf(card).empty());
}

TEST(MachineCard, TheSchemaIsStrict) {
  Json document = Json::parse(Golden());
  document["disk"]["reads"][0]["pattern"] = "backwards";
  EXPECT_NE(Violation(document), "");
  document = Json::parse(Golden());
  document["colour"] = "blue";
  EXPECT_NE(Violation(document), "");
}

TEST(MachineCard, AFieldThatIsMissingOrWrongIsNamed) {
  const auto complaint = [](const char* pointer, const Json& value) {
    Json document = Json::parse(Golden());
    document[Json::json_pointer(pointer)] = value;
    try {
      MachineCardFromJson(document.dump(), "card.json");
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(complaint("/memory/triad_one_core/bytes_per_s/mean", "fast"),
            "card.json: field 'memory.triad_one_core.bytes_per_s.mean' is not a number");
  EXPECT_EQ(complaint("/gpus/1/pcie_width", -8),
            "card.json: field 'gpus[1].pcie_width' is not a whole number of zero or more");
  EXPECT_EQ(complaint("/schema", "stallscope.profile/1"),
            "card.json: it is a 'stallscope.profile/1', not a 'stallscope.machine/1'");
}

TEST(MachineCard, ANumberThatIsNoneIsNotWritten) {
  MachineCard card = GoldenCard();
  card.decode->one_core.mean = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(ToJson(card), Error);
}

TEST(Quantities, OfGpusAreThoseOfTheWeakest) {
  const MachineCard card = GoldenCard();
  EXPECT_EQ(Find(card, "gpu.count").value().value.mean, 2);
  EXPECT_EQ(Find(card, "gpu.pcie_width").value().value.mean, 8);  // of 16 and 8
  EXPECT_EQ(Find(card, "gpu.nvlinks").value().value.mean, 1);     // one of two, and one of one
}

TEST(Quantities, AFactThatOneGpuWithholdsIsAbsent) {
  MachineCard card = GoldenCard();
  card.gpus[1].memory_bytes.reset();
  EXPECT_FALSE(Find(card, "gpu.memory_bytes"));
}

TEST(Quantities, GpusWithoutADriverAreCountedOnTheBus) {
  MachineCard card = GoldenCard();
  card.gpus.clear();
  EXPECT_EQ(Find(card, "gpu.count").value().value.mean, 1);
  card.topology.pci_devices.clear();
  EXPECT_FALSE(Find(card, "gpu.count"));
}

TEST(Quantities, TheNetworkIsTheSumOfPhysicalInterfacesThatAreUp) {
  MachineCard card = GoldenCard();
  EXPECT_EQ(Find(card, "network.rate").value().value.mean, 12.5e9);
  card.interfaces.push_back({.name = "ens33", .bytes_per_s = 12.5e9, .state = "up"});
  card.interfaces.push_back({.name = "ens34", .bytes_per_s = 1e9, .state = "down"});
  card.interfaces.push_back({.name = "bond0", .bytes_per_s = 25e9, .state = "up", .is_virtual = true});
  EXPECT_EQ(Find(card, "network.rate").value().value.mean, 25e9);
  card.interfaces.clear();
  EXPECT_FALSE(Find(card, "network.rate"));
}

TEST(Quantities, DiskReadsAreNamedByPatternSizeAndDepth) {
  EXPECT_EQ(DiskQuantityName("random", 4096, 16), "disk.random.4KiB.depth16");
  EXPECT_EQ(DiskQuantityName("sequential", 1 << 20, 8), "disk.sequential.1MiB.depth8");
  EXPECT_EQ(Find(GoldenCard(), "disk.random.4KiB.depth16").value().unit, "B/s");
}

}  // namespace
}  // namespace stallscope
