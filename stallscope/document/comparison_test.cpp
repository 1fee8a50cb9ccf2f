#include "stallscope/document/comparison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stallscope/base/error.h"
#include "stallscope/document/schema_check_for_tests.h"

namespace stallscope {
namespace {

std::string Violation(const Json& document) {
  return SchemaViolation(
      document, std::filesystem::path(__FILE__).parent_path() / "../../docs/schema/comparison-1.schema.json");
}

/// Every field that there can be.
Comparison Full() {
  const Estimate estimate{0.3, 0.2, 0.4};
  const ComparedTime both{.baseline_s = estimate,
                          .other_s = estimate,
                          .difference_s = estimate,
                          .relative = estimate,
                          .verdict = Change::kWorse};
  const ComparedTime one{.other_s = estimate, .reason = "a.json has none (one machine)"};
  Comparison comparison;
  comparison.tool.version = "0.1.0";
  comparison.created = "2026-11-16T15:54:44Z";
  comparison.argv = {"stallscope", "compare", "a.json", "b.json"};
  comparison.host = {.name = "amber", .cpu = "cpu", .cores = 2, .memory_bytes = 1 << 30, .kernel = "6.1"};
  comparison.baseline = {"a.json", comparison.created, "amber", "resnet18", 1, 2};
  ComparedProfile other;
  other.profile = {"b.json", comparison.created, "cobalt", "resnet18", 2, 2};
  other.total_of = "steady_state";
  other.total = both;
  other.stalls = {{"compute", std::nullopt, both},
                  {"interconnect", std::nullopt, both},
                  {"contention", "interconnect", both},
                  {"communication", "interconnect", both},
                  {"network", std::nullopt, one},
                  {"prep", std::nullopt, both},
                  {"copy", "prep", both},
                  {"fetch", std::nullopt, both}};
  other.notes = {"The set of devices differs."};
  comparison.others = {other, other};
  return comparison;
}

TEST(Comparison, WhatIsWrittenObeysTheSchema) {
  EXPECT_EQ(Violation(Json::parse(ToJson(Full()))), "");
  Comparison bare = Full();
  bare.host = {.name = "amber", .kernel = "6.1"};
  bare.others.front().total_of.reset();
  bare.others.front().total = {.reason = "no rung in common"};
  bare.others.front().stalls.clear();
  EXPECT_EQ(Violation(Json::parse(ToJson(bare))), "");
}

TEST(Comparison, TheSchemaIsStrict) {
  Json document = Json::parse(ToJson(Full()));
  document["others"][1]["stalls"]["prep"]["copy"]["verdict"] = "nicer";
  EXPECT_EQ(Violation(document), "/others[1]/stalls/prep/copy/verdict is none of the enum");
  document = Json::parse(ToJson(Full()));
  document["others"][0].erase("total");
  EXPECT_EQ(Violation(document), "/others[0] lacks total");
}

TEST(Comparison, PartsLieInsideTheirWholesAndWhatIsMissingIsAbsent) {
  const Json stalls = Json::parse(ToJson(Full()))["others"][0]["stalls"];
  EXPECT_EQ(stalls["interconnect"]["contention"]["verdict"], "worse");
  EXPECT_FALSE(stalls.contains("contention"));
  EXPECT_EQ(stalls["network"]["verdict"], "not comparable");
  EXPECT_FALSE(stalls["network"].contains("baseline_s"));
  EXPECT_FALSE(stalls["network"].contains("difference_s"));
}

TEST(Comparison, ANumberThatIsNotFiniteIsNotWritten) {
  Comparison comparison = Full();
  comparison.others[0].total.relative->mean = NAN;
  EXPECT_THROW(ToJson(comparison), Error);
}

}  // namespace
}  // namespace stallscope
