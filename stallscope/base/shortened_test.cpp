#include "stallscope/base/shortened.h"

#include <gtest/gtest.h>

namespace stallscope {
namespace {

TEST(Shortened, AShortTextIsItself) {
  EXPECT_EQ(Shortened("p3.8xlarge"), "p3.8xlarge");
}

TEST(Shortened, OfALongTextTheEndsStay) {
  // 100 of each end of 200 that may stay, and 5 for what was left out.
  const std::string shown = Shortened("begin" + std::string(1'000'000, 'a') + "end");
  EXPECT_EQ(shown.size(), 205U);
  EXPECT_TRUE(shown.starts_with("begin"));
  EXPECT_TRUE(shown.ends_with("end"));
}

TEST(Shortened, NoCodePointIsCut) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "\xC3\xA4";  // two bytes each
  // Half of 7 is 3: one whole code point of two bytes fits into each end.
  EXPECT_EQ(Shortened(text, 7), "\xC3\xA4 ... \xC3\xA4");
}

TEST(Shortened, NothingMovesATerminalsCursor) {
  EXPECT_EQ(Shortened("\x1B[2Jx\ry\x7F"), "?[2Jx?y?");
  EXPECT_EQ(Shortened("two\nlines"), "two\nlines");
}

}  // namespace
}  // namespace stallscope
