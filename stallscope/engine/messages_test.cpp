#include "stallscope/engine/messages.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "stallscope/base/error.h"
#include "stallscope/engine/bucket.h"
#include "stallscope/engine/record_json.h"

namespace stallscope {
namespace {

TEST(Messages, AConfigurationSurvivesTheTrip) {
  EngineConfig config;
  config.rank = 3;
  config.world_size = 4;
  config.nodes = 2;
  config.node = 1;
  config.devices_per_node = 2;
  config.meeting = {
      .kind = MeetingConfig::Kind::kTcp, .file = "", .host = "10.0.0.1", .port = 29500, .timeout_s = 7};
  config.training.image_size = 64;
  config.training.bucket = "tensor";
  config.training.torchscript =
      TorchscriptConfig{.file = "f.pt", .sample_shape = {128}, .classes = 7, .vocabulary = 9};
  config.training.seed = std::numeric_limits<std::uint64_t>::max();
  const nlohmann::json sent = ToJson(config);
  EXPECT_EQ(ToJson(EngineConfigFromJson(nlohmann::json::parse(sent.dump()))), sent);
  EXPECT_FALSE(EngineConfigFromJson(sent).training.sequence_length.has_value());
}

TEST(Messages, ABlockSurvivesTheTripToTheLastBit) {
  RankBlock block{
      .rank = 1, .node = 0, .start_s = 1.0 / 3, .end_s = 2.0 / 3, .cpu_s = 0.1, .machine_busy_s = 0.2};
  block.steps.push_back({.start_s = 0.1, .total_s = 1e-9, .buckets = {{.bytes = 4, .ready_s = 0.1 + 0.2}}});
  const RankBlock back = RankBlockFromJson(nlohmann::json::parse(ToJson(block).dump()));
  EXPECT_EQ(back.start_s, block.start_s);
  EXPECT_EQ(back.steps.at(0).buckets.at(0).ready_s, 0.1 + 0.2);
}

TEST(Messages, AHalfConfigurationIsRefused) {
  EXPECT_THROW(EngineConfigFromJson(nlohmann::json::object()), UsageError);
}

TEST(Messages, ANumberThatAFieldCannotHoldIsRefusedByName) {
  WorkloadFacts facts;
  facts.gradient_bytes = std::numeric_limits<std::int64_t>::max();
  const nlohmann::json sent = ToJson(facts);
  EXPECT_EQ(WorkloadFactsFromJson(sent).gradient_bytes, facts.gradient_bytes);
  for (const nlohmann::json& wrong : {nlohmann::json(-1e308), nlohmann::json(0.5),
                                      nlohmann::json(std::numeric_limits<std::uint64_t>::max()),
                                      nlohmann::json("many"), nlohmann::json()}) {
    nlohmann::json changed = sent;
    changed["gradient_bytes"] = wrong;
    try {
      WorkloadFactsFromJson(changed);
      ADD_FAILURE() << wrong;
    } catch (const RecordError& e) {
      EXPECT_NE(std::string(e.what()).find("'gradient_bytes' is "), std::string::npos) << e.what();
    }
  }
}

TEST(Messages, ASmallFieldHoldsNoLargeNumber) {
  nlohmann::json sent = ToJson(BlockRequest{.ranks = {0, 1}, .steps = 3});
  EXPECT_EQ(BlockRequestFromJson(sent).ranks, (std::vector<int>{0, 1}));
  sent["steps"] = std::int64_t{1} << 31;
  EXPECT_THROW(BlockRequestFromJson(sent), RecordError);
  sent["steps"] = 3;
  sent["ranks"] = {0, 1.5};
  EXPECT_THROW(BlockRequestFromJson(sent), RecordError);
  sent.erase("ranks");
  EXPECT_THROW(BlockRequestFromJson(sent), RecordError);
}

TEST(Bucket, ASizeBringsASmallerFirstBucket) {
  EXPECT_EQ(ParseBucket("25MiB").bytes, 26214400);
  EXPECT_EQ(ParseBucket("25MiB").first_bytes, 1048576);
  EXPECT_EQ(ParseBucket("100kB").first_bytes, 100000);
}

TEST(Bucket, TheTwoEndsHaveNames) {
  EXPECT_EQ(ParseBucket("tensor").bytes, 1);
  EXPECT_EQ(ParseBucket("model").bytes, std::numeric_limits<std::int64_t>::max());
}

TEST(Bucket, NonsenseIsRefused) {
  for (const char* text : {"", "0", "many", "-1MB", "1e9"})
    EXPECT_THROW(ParseBucket(text), UsageError) << text;
}

}  // namespace
}  // namespace stallscope
