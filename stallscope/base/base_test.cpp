#include <gtest/gtest.h>

#include "stallscope/base/names.h"
#include "stallscope/base/units.h"

namespace stallscope {
namespace {

TEST(Units, GigaIsDecimalInRatesAndBinaryOnlyWhereWritten) {
  EXPECT_DOUBLE_EQ(ParseRate("1Gbit")->value, 125e6);
  EXPECT_DOUBLE_EQ(ParseRate("100MB/s")->value, 100e6);
  EXPECT_DOUBLE_EQ(ParseSize("25MiB")->value, 25.0 * 1048576);
  EXPECT_DOUBLE_EQ(ParseSize("25MB")->value, 25e6);
}

TEST(Units, DurationsCarryTheirUnit) {
  EXPECT_DOUBLE_EQ(ParseDuration("90s")->count(), 90);
  EXPECT_DOUBLE_EQ(ParseDuration("1.5h")->count(), 5400);
  EXPECT_DOUBLE_EQ(ParseDuration("10m")->count(), 600);
  EXPECT_FALSE(ParseDuration("10"));
}

TEST(Units, NonsenseIsNoQuantity) {
  for (const char* text : {"", "MB", "-5MB", "1..5MB", "nan", "inf", "0x10", "5 parsecs", ".", "1e400MB"}) {
    EXPECT_FALSE(ParseSize(text)) << text;
  }
}

TEST(Units, WhatNoDoubleHoldsIsNoQuantity) {
  const std::string huge(308, '9');
  EXPECT_TRUE(ParseSize(huge + "B"));
  EXPECT_FALSE(ParseSize(huge + "TB"));
  EXPECT_FALSE(ParseSize(huge + huge + "B"));
  EXPECT_EQ(FormatDuration(*ParseDuration(huge + "s")), FormatDuration(Seconds(1e15)));
}

TEST(Units, SharesComeAsPercentOrFraction) {
  EXPECT_DOUBLE_EQ(*ParseShare("3%"), 0.03);
  EXPECT_DOUBLE_EQ(*ParseShare("0.03"), 0.03);
}

TEST(Units, TextHasThreeDigitsAndAFittingUnit) {
  EXPECT_EQ(FormatSeconds(0.4123), "412 ms");
  EXPECT_EQ(FormatSeconds(1.2349), "1.23 s");
  EXPECT_EQ(FormatSeconds(-0.0021), "-2.10 ms");
  EXPECT_EQ(FormatSeconds(0), "0.00 ms");
  EXPECT_EQ(FormatSeconds(0.9999), "1.00 s");
  EXPECT_EQ(FormatBytes(46758048), "46.8 MB");
  EXPECT_EQ(FormatDuration(Seconds(300)), "5 min");
  EXPECT_EQ(FormatDuration(Seconds(4800)), "80 min");
}

TEST(Names, ATypingErrorFindsItsWord) {
  EXPECT_EQ(NearestNames("resnet81", {"resnet10", "resnet18", "resnet50"}).front(), "resnet18");
  EXPECT_TRUE(NearestNames("zzzzzzzz", {"vgg16", "resnet18"}).empty());
  EXPECT_EQ(JoinAlternatives({"a", "b", "c"}), "a, b or c");
}

}  // namespace
}  // namespace stallscope
