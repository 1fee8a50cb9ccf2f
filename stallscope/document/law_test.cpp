#include "stallscope/document/law.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/document/json_fields.h"

namespace stallscope {
namespace {

std::string Golden() {
  return ReadFile(std::filesystem::path(__FILE__).parent_path() / "../../tests/browser/law.json");
}

TEST(LawDocument, ComesBackAsItWasWritten) {
  // The order of fields is the writer's.
  EXPECT_EQ(nlohmann::json::parse(ToJson(LawFromJson(Golden(), "golden"))), nlohmann::json::parse(Golden()));
}

TEST(LawDocument, KeepsWhatIsAbsentAbsent) {
  Law law = LawFromJson(Golden(), "golden");
  law.extrapolation.reset();
  law.points.front().parts.reset();
  law.points.front().law_left_out.reset();
  law.missing.clear();
  const Law again = LawFromJson(ToJson(law), "again");
  EXPECT_FALSE(again.extrapolation);
  EXPECT_FALSE(again.points.front().parts);
  EXPECT_FALSE(again.points.front().law_left_out);
  EXPECT_TRUE(again.points.back().parts);
  EXPECT_EQ(ToJson(law).find("null"), std::string::npos);
}

TEST(LawDocument, ComplaintsNameTheFileAndTheField) {
  Json json = Json::parse(Golden());
  json["points"][1].erase("stall_s");
  try {
    LawFromJson(json.dump(), "law.json");
    FAIL() << "a point without its stall was read";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("law.json"));
    EXPECT_THAT(error.what(), testing::HasSubstr("stall_s"));
  }
  EXPECT_THROW(LawFromJson("{\"schema\": \"stallscope.profile/1\"}", "profile.json"), Error);
}

}  // namespace
}  // namespace stallscope
