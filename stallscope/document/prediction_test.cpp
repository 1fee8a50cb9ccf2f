#include "stallscope/document/prediction.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stallscope/base/error.h"
#include "stallscope/document/prediction_for_tests.h"
#include "stallscope/document/schema_check_for_tests.h"

namespace stallscope {
namespace {

std::string Violation(const Json& document) {
  return SchemaViolation(
      document, std::filesystem::path(__FILE__).parent_path() / "../../docs/schema/prediction-1.schema.json");
}

/// Every field that there can be.
Prediction Full() {
  PredictedChange change{"25 Gbit between machines", {-0.2, -0.3, -0.1}, FullMachine()};
  Prediction prediction = PredictionOf({{FullMachine(), change}, {BareMachine(), std::nullopt}});
  prediction.workload.profile = "profile.json";
  prediction.workload.image_size = 224;
  prediction.workload.sequence_length = 128;
  prediction.workload.dataset = "imagenet";
  prediction.workload.samples = 1'281'167;
  prediction.workload.sample_bytes = 115e3;
  prediction.refused = {{"g4dn.xlarge", 2, "the batch does not fit", "use --batch 8"}};
  return prediction;
}

TEST(Prediction, WhatIsWrittenObeysTheSchema) {
  EXPECT_EQ(Violation(Json::parse(ToJson(Full()))), "");
  EXPECT_EQ(Violation(Json::parse(ToJson(PredictionOf({{BareMachine(), std::nullopt}})))), "");
}

TEST(Prediction, TheSchemaIsStrict) {
  Json document = Json::parse(ToJson(Full()));
  document["stalls"]["network"]["basis"] = "felt";
  EXPECT_EQ(Violation(document), "/stalls/network/basis is none of the enum");
  document = Json::parse(ToJson(Full()));
  document["machines"][0]["mood"] = "good";
  EXPECT_EQ(Violation(document), "/machines[0] has an unknown mood");
}

TEST(Prediction, WhatIsReadIsWhatWasWritten) {
  for (const Prediction& prediction : {Full(), PredictionOf({{BareMachine(), std::nullopt}})}) {
    const std::string text = ToJson(prediction);
    EXPECT_EQ(ToJson(PredictionFromJson(text, "p.json")), text);
  }
}

TEST(Prediction, TheFirstMachineIsTheAnswerAtTheTop) {
  const Json document = Json::parse(ToJson(Full()));
  for (const auto& [key, value] : document["machines"][0].items()) EXPECT_EQ(document[key], value) << key;
  EXPECT_EQ(document["instance"], "p3.8xlarge");
  EXPECT_EQ(document["machines"].size(), 2U);
}

TEST(Prediction, WhatIsAbsentLeavesNoTrace) {
  const Json document = Json::parse(ToJson(PredictionOf({{BareMachine(), std::nullopt}})));
  for (const char* key : {"epoch_time_s", "epoch_cost_usd", "price", "what_if"}) {
    EXPECT_FALSE(document.contains(key)) << key;
  }
  EXPECT_FALSE(document["stalls"].contains("network"));
  EXPECT_EQ(document["absent"][0]["reason"], "one machine");
}

TEST(Prediction, DamageIsNamedByItsField) {
  Json document = Json::parse(ToJson(Full()));
  document["machines"][1]["stalls"]["compute"].erase("seconds");
  try {
    PredictionFromJson(document.dump(), "p.json");
    FAIL() << "read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("stalls.compute.seconds"), std::string::npos) << error.what();
  }
  document["machines"] = Json::array();
  EXPECT_THROW(PredictionFromJson(document.dump(), "p.json"), Error);
  Prediction infinite = Full();
  infinite.choices[0].plain.step_time_s.high = INFINITY;
  EXPECT_THROW(ToJson(infinite), Error);
}

}  // namespace
}  // namespace stallscope
