#include "stallscope/document/atomic_file.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

class AtomicFile : public testing::Test {
 protected:
  AtomicFile() { std::filesystem::create_directories(folder_); }
  ~AtomicFile() override { std::filesystem::remove_all(folder_); }

  auto FileCount() const { return std::distance(std::filesystem::directory_iterator(folder_), {}); }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      ("stallscope-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
};

int NoLinksHere(const char*, const char*) {
  errno = EPERM;
  return -1;
}

int AnswerGetsLost(const char* existing, const char* name) {
  LinkFile(existing, name);
  errno = EEXIST;
  return -1;
}

TEST_F(AtomicFile, TheNewTextReplacesTheOldAndNothingElseIsLeft) {
  WriteFileAtomically(folder_ / "a.json", "old");
  WriteFileAtomically(folder_ / "a.json", "new");
  EXPECT_EQ(ReadFile(folder_ / "a.json"), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
  std::filesystem::create_directory(folder_ / "taken");
  EXPECT_THROW(WriteFileAtomically(folder_ / "taken", "x"), Error);
  EXPECT_THROW(WriteFileAtomically(folder_ / "missing/a.json", "x"), Error);
  EXPECT_THROW(ReadFile(folder_ / "none"), Error);
  EXPECT_THROW(ReadFile(folder_ / "taken"), Error);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 2);
}

TEST_F(AtomicFile, ANewNameIsTakenOnceAndNeverOverwritten) {
  for (const LinkFunction link : {LinkFile, NoLinksHere}) {
    const auto path = folder_ / (link == LinkFile ? "linked" : "renamed");
    EXPECT_TRUE(WriteNewFileAtomically(path, "mine", link));
    EXPECT_FALSE(WriteNewFileAtomically(path, "theirs", link));
    EXPECT_EQ(ReadFile(path), "mine");
    EXPECT_EQ(std::filesystem::hard_link_count(path), 1U);
  }
  EXPECT_EQ(FileCount(), 2);
}

TEST_F(AtomicFile, ALinkWhoseAnswerGotLostCounts) {
  EXPECT_TRUE(WriteNewFileAtomically(folder_ / "a", "mine", AnswerGetsLost));
  EXPECT_EQ(ReadFile(folder_ / "a"), "mine");
  EXPECT_FALSE(WriteNewFileAtomically(folder_ / "a", "theirs", AnswerGetsLost));
  EXPECT_EQ(ReadFile(folder_ / "a"), "mine");
  EXPECT_EQ(FileCount(), 1);
}

TEST_F(AtomicFile, ANewFileInAMissingFolderIsAnError) {
  EXPECT_THROW(WriteNewFileAtomically(folder_ / "missing/a", "x"), Error);
}

}  // namespace
}  // namespace stallscope
