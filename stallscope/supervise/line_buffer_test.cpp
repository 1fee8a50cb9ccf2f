#include "stallscope/supervise/line_buffer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "stallscope/supervise/file_descriptor.h"

namespace stallscope {
namespace {

TEST(LineBuffer, PiecesBecomeLines) {
  LineBuffer buffer;
  buffer.Append("on");
  EXPECT_FALSE(buffer.Next());
  buffer.Append("e\n\ntw");
  EXPECT_EQ(buffer.Next(), "one");
  EXPECT_EQ(buffer.Next(), "");
  EXPECT_FALSE(buffer.Next());
  EXPECT_EQ(buffer.unfinished(), "tw");
  buffer.Append("o\n");
  EXPECT_EQ(buffer.Next(), "two");
}

TEST(LineBuffer, AnEndlessLineIsCutAndTheNextOneIsWhole) {
  LineBuffer buffer(4);
  buffer.Append("abc");
  buffer.Append("defgh");
  buffer.Append("ijk\nnext\n");
  EXPECT_EQ(buffer.Next(), "abcd");
  EXPECT_EQ(buffer.Next(), "next");
}

TEST(LineBuffer, ReadingTellsNothingYetFromTheEnd) {
  Pipe pipe = MakePipe();
  SetNonblocking(pipe.read_end.get());
  LineBuffer buffer;
  EXPECT_TRUE(buffer.ReadFrom(pipe.read_end.get()));
  EXPECT_FALSE(buffer.Next());
  ASSERT_TRUE(WriteWithoutSigpipe(pipe.write_end.get(), "last words\n", 10));
  pipe.write_end.Close();
  EXPECT_FALSE(buffer.ReadFrom(pipe.read_end.get()));
  EXPECT_EQ(buffer.Next(), "last words");
}

}  // namespace
}  // namespace stallscope
