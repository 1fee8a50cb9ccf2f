#include "stallscope/engine/rank_message.h"

#include <gtest/gtest.h>

#include "stallscope/engine/messages.h"

namespace stallscope {
namespace {

TEST(RankEvent, IsAnObjectWithAnEvent) {
  EXPECT_EQ(ParseRankEvent(R"({"event": "heartbeat", "step": 3, "place": "x"})")->at("step"), 3);
  for (const char* line :
       {"", "loss 0.3", "[1]", "{}", R"({"event": 3})", R"({"event": "heartbeat")", "\xFF", "null"}) {
    EXPECT_FALSE(ParseRankEvent(line)) << line;
  }
}

TEST(RankEvent, WithAFieldOfAnotherTypeIsNobodys) {
  for (const char* line :
       {R"({"event": "heartbeat", "step": "many"})", R"({"event": "heartbeat", "step": 1e300})",
        R"({"event": "heartbeat", "place": []})", R"({"event": "failed", "exit_code": {}})",
        R"({"event": "failed", "message": null})", R"({"event": "failed", "lost_connection": 1})"}) {
    EXPECT_FALSE(ParseRankEvent(line)) << line;
  }
}

TEST(RankMessage, OneThatLacksAFieldIsAnErrorInOneSentence) {
  const nlohmann::json block = {{"rank", 0}, {"node", "first"}};
  EXPECT_THROW(ReadRankMessage("a block", [&] { return RankBlockFromJson(block); }), Error);
}

}  // namespace
}  // namespace stallscope
