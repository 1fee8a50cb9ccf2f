#include "stallscope/input/token_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "stallscope/base/error.h"
#include "stallscope/input/bad_sample.h"
#include "stallscope/input/jpeg_for_tests.h"
#include "stallscope/supervise/temporary_folder.h"

namespace stallscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TokenTest : public testing::Test {
 protected:
  std::filesystem::path Write(const std::string& name, const std::vector<std::uint8_t>& bytes) {
    WriteBytes(folder_.path() / name, bytes);
    return folder_.path() / name;
  }

  static std::string ComplaintAbout(const std::filesystem::path& path) {
    try {
      const TokenFile file(path);
    } catch (const Error& e) {
      return std::string(e.what()) + " | " + e.hint;
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(TokenTest, TwoAndFourByteTokensAreLittleEndian) {
  std::vector<std::int64_t> out(2);
  TokenFile(Write("a.bin", {1, 0, 2, 1, 255, 255})).Read(1, out);
  EXPECT_THAT(out, ElementsAre(0x102, 0xFFFF));
  TokenFile(Write("a.u32", {1, 0, 0, 0, 2, 0, 1, 0})).Read(0, out);
  EXPECT_THAT(out, ElementsAre(1, 0x10002));
}

TEST_F(TokenTest, LongReadsCrossTheirBuffer) {
  std::vector<std::uint8_t> bytes;
  for (int i = 0; i < 30000; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(i & 0xFF));
    bytes.push_back(static_cast<std::uint8_t>(i >> 8));
  }
  std::vector<std::int64_t> out(29000);
  TokenFile(Write("a.u16", bytes)).Read(500, out);
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], static_cast<std::int64_t>(i) + 500);
}

TEST_F(TokenTest, BadFilesAreNamedWithTheirFix) {
  EXPECT_THAT(ComplaintAbout(Write("odd.u16", {1, 2, 3})),
              HasSubstr("has 3 bytes, no whole number of 2-byte tokens"));
  EXPECT_THAT(ComplaintAbout(Write("odd.u32", {1, 2, 3, 4, 5, 6})),
              HasSubstr("no whole number of 4-byte tokens"));
  EXPECT_THAT(ComplaintAbout(Write("none.u16", {})), HasSubstr("is empty"));
  EXPECT_THAT(ComplaintAbout(folder_.path() / "missing.u16"), HasSubstr("No such file"));
  EXPECT_THAT(ComplaintAbout(Write("a.jpg", {1, 2})), HasSubstr("is one image"));
  EXPECT_THROW(TokenSource(TokenFile(Write("short.u16", {1, 0, 2, 0})), 2), Error);
}

TEST_F(TokenTest, SequencesOverlapByTheirTarget) {
  const TokenSource source(TokenFile(Write("a.u16", {0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0})), 2);
  ASSERT_EQ(source.size(), 2U);  // 0 1 (2), 2 3 (4); 4 5 has no target
  Batch batch;
  source.Shape(batch, 2);
  const auto reader = source.NewReader();
  reader->Load(0, 0, batch, 0);
  reader->Load(1, 0, batch, 1);
  EXPECT_THAT(batch.tokens, ElementsAre(0, 1, 2, 2, 3, 4));
}

TEST_F(TokenTest, AFileThatShrinksOrChangesIsNoticed) {
  const auto path = Write("a.u16", {0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0});
  const TokenSource source{TokenFile(path), 2};
  EXPECT_EQ(source.Change(), "");
  usleep(20000);
  std::filesystem::resize_file(path, 4);
  Batch batch;
  source.Shape(batch, 1);
  EXPECT_THROW(source.NewReader()->Load(1, 0, batch, 0), BadSample);
  EXPECT_THAT(source.Change(), HasSubstr("was written while it was in use"));
}

}  // namespace
}  // namespace stallscope
