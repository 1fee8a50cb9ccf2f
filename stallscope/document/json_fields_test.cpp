#include "stallscope/document/json_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

using testing::HasSubstr;

std::string Complaint(const std::string& text) {
  try {
    ParseDocument(text, "x.json");
  } catch (const Error& e) {
    EXPECT_FALSE(e.hint.empty());
    return e.what();
  }
  return "";
}

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(ParseDocument, AFieldThatIsThereTwiceIsNamed) {
  EXPECT_EQ(Complaint(R"({"a": 1, "b": {"a": 2}, "a": 3})"), "x.json: field 'a' is there twice");
  EXPECT_EQ(Complaint(R"({"a": 1, "b": {"a": 2}, "c": [{"a": 3}, {"a": 4}]})"), "")
      << "each is another object's";
}

TEST(ParseDocument, NestingHasAnEnd) {
  EXPECT_EQ(Complaint("{\"a\": " + Repeated("[", 60) + Repeated("]", 60) + "}"), "");
  EXPECT_EQ(Complaint("{\"a\": " + Repeated("[", 100'000)), "x.json: it is nested deeper than 64 levels");
  EXPECT_EQ(Complaint(Repeated("{\"a\":", 100'000)), "x.json: it is nested deeper than 64 levels");
}

TEST(ParseDocument, AnObjectOfEndlesslyManyFieldsIsRefused) {
  std::string text = "{\"0\": 0";
  for (int i = 1; i < 100'000; ++i) text += ",\"" + std::to_string(i) + "\": 0";
  EXPECT_EQ(Complaint(text + "}"), "x.json: an object has more than 1000 fields");
}

TEST(ParseDocument, NumbersThatAreNoneAreRefused) {
  for (const char* number : {"NaN", "nan", "Infinity", "-Infinity", "0x10", "+1", "01", "."}) {
    EXPECT_THAT(Complaint(std::string("{\"a\": ") + number + "}"), HasSubstr("line 1 is not valid JSON"))
        << number;
  }
}

TEST(ParseDocument, NumbersTooLargeToReckonWithAreRefused) {
  EXPECT_EQ(Complaint(R"({"a": 1e308})"), "x.json: field 'a' is 1e+308, which is too large a number");
  EXPECT_EQ(Complaint(R"({"a": [-1e308]})"), "x.json: field 'a' is -1e+308, which is too large a number");
  EXPECT_EQ(Complaint(R"({"a": 1e999})"), "x.json: a number is too large");
  EXPECT_EQ(Complaint(R"({"a": 1e25})"), "");
}

TEST(JsonFields, RatesSizesAndTimesOfStepsAreNotBelowZeroAndDifferencesMayBe) {
  const Json json = Json::parse(R"({"step_time_s": {"mean": -1, "low": -2, "high": 0}, "bytes_per_s": -1,
                                    "seconds": {"mean": -1, "low": -2, "high": 0}, "saves_s": -1})");
  const JsonFields fields(json, "x.json");
  EXPECT_THROW(fields.Interval("step_time_s"), Error);
  EXPECT_THROW(fields.Number("bytes_per_s"), Error);
  EXPECT_EQ(fields.Interval("seconds").mean, -1);
  EXPECT_EQ(fields.Number("saves_s"), -1);
}

}  // namespace
}  // namespace stallscope
