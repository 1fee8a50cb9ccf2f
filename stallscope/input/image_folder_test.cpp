#include "stallscope/input/image_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/input/file_bytes.h"
#include "stallscope/input/jpeg_for_tests.h"
#include "stallscope/input/sampler.h"
#include "stallscope/supervise/temporary_folder.h"

namespace stallscope {
namespace {

using testing::HasSubstr;

class ImageFolderTest : public testing::Test {
 protected:
  void Touch(const std::string& name) { WriteText(folder_.path() / name, ""); }

  void ExpectError(const std::filesystem::path& path, const std::string& what, const std::string& fix) {
    try {
      ImageFolder::List(path);
      ADD_FAILURE() << "no complaint; expected: " << what;
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), HasSubstr(what));
      EXPECT_THAT(e.hint, HasSubstr(fix));
    }
  }

  TemporaryFolder folder_;
};

TEST_F(ImageFolderTest, ClassesAndFilesComeInTheOrderOfTheirNames) {
  for (const char* name :
       {"zebra/2.jpg", "zebra/1.JPEG", "ant/b.jpg", "ant/sub/c.JPG", "ant/notes.txt", "ant/.hidden.jpg"})
    Touch(name);
  const ImageFolder list = ImageFolder::List(folder_.path());
  EXPECT_THAT(list.classes(), testing::ElementsAre("ant", "zebra"));
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(list.PathOf(0), folder_.path() / "ant/b.jpg");
  EXPECT_EQ(list.PathOf(1), folder_.path() / "ant/sub/c.JPG");
  EXPECT_EQ(list.PathOf(2), folder_.path() / "zebra/1.JPEG");
  EXPECT_EQ(list.LabelOf(1), 0);
  EXPECT_EQ(list.LabelOf(3), 1);
  EXPECT_EQ(list.passed_over(), 1U);
}

TEST_F(ImageFolderTest, ATrainLevelIsEntered) {
  Touch("train/ant/1.jpg");
  Touch("val/ant/2.jpg");
  const ImageFolder list = ImageFolder::List(folder_.path());
  EXPECT_EQ(list.root(), folder_.path() / "train");
  EXPECT_EQ(list.size(), 1U);
}

TEST_F(ImageFolderTest, AClassOfTrainsIsAClass) {
  Touch("car/1.jpg");
  Touch("train/1.jpg");
  EXPECT_EQ(ImageFolder::List(folder_.path()).classes().size(), 2U);
}

TEST_F(ImageFolderTest, BadFoldersAreNamedWithTheirFix) {
  ExpectError(folder_.path() / "nowhere", "there is no folder", "dataset make");
  ExpectError(folder_.path(), "is empty", "dataset make");
  Touch("loose.jpg");
  ExpectError(folder_.path() / "loose.jpg", "is no folder", "class folders");
  ExpectError(folder_.path(), "lie in no class folder", "/CLASS/");
  Touch("a/notes.txt");
  ExpectError(folder_.path(), "there are no JPEGs below", "NAME.jpg");
  Touch("b/1.jpg");
  ExpectError(folder_.path(), "/a' holds no JPEG", "remove the folder");
}

TEST_F(ImageFolderTest, AnUnreadableFolderIsNamed) {
  Touch("a/1.jpg");
  chmod((folder_.path() / "a").c_str(), 0);
  if (geteuid() == 0) {
    chmod((folder_.path() / "a").c_str(), S_IRWXU);
    GTEST_SKIP() << "root reads everything; page_cache_lab_test tries it as nobody";
  }
  ExpectError(folder_.path(), "cannot read the folder", "permission");
  chmod((folder_.path() / "a").c_str(), S_IRWXU);
}

TEST_F(ImageFolderTest, ALoopOfLinksEndsInASentence) {
  Touch("a/1.jpg");
  symlink(folder_.path().c_str(), (folder_.path() / "a/again").c_str());
  ExpectError(folder_.path(), "folders deep", "link");
}

TEST_F(ImageFolderTest, LinksLeadNowhereOutsideUnlessTheyMay) {
  const TemporaryFolder elsewhere;
  std::ofstream(elsewhere.path() / "secret.jpg") << "x";
  Touch("a/1.jpg");
  symlink((folder_.path() / "a/1.jpg").c_str(), (folder_.path() / "a/2.jpg").c_str());
  EXPECT_EQ(ImageFolder::List(folder_.path()).size(), 2U) << "a link within the folder is a file like others";
  symlink((elsewhere.path() / "secret.jpg").c_str(), (folder_.path() / "a/3.jpg").c_str());
  ExpectError(folder_.path(), "leads out of the data folder", "--follow");
  EXPECT_EQ(ImageFolder::List(folder_.path(), /*follow=*/true).size(), 3U);
  std::filesystem::remove(folder_.path() / "a/3.jpg");
  symlink(elsewhere.path().c_str(), (folder_.path() / "b").c_str());
  ExpectError(folder_.path(), "leads out of the data folder", "--follow");
  EXPECT_EQ(ImageFolder::List(folder_.path(), /*follow=*/true).classes().size(), 2U);
}

TEST_F(ImageFolderTest, FilesThatComeOrGoAreNoticed) {
  Touch("a/1.jpg");
  Touch("b/1.jpg");
  const ImageFolder list = ImageFolder::List(folder_.path());
  EXPECT_FALSE(list.ChangedFolder());
  usleep(20000);  // file times advance in ticks of up to 10 ms
  Touch("b/2.jpg");
  EXPECT_EQ(list.ChangedFolder(), folder_.path() / "b");
}

TEST_F(ImageFolderTest, WhatWasWrittenJustBeforeIsNotNewer) {
  const TemporaryFolder elsewhere;
  const std::string scratch = elsewhere.path() / "scratch";
  for (int i = 0; i < 50; ++i) {
    // Since Linux 6.13 a file whose time was asked for gets a precise one when it is written again, and then
    // so do all others: up to a tick ahead of the coarse clock.
    WriteText(scratch, "x");
    struct stat status {};
    ASSERT_EQ(stat(scratch.c_str(), &status), 0);
  }
  WriteText(folder_.path() / "a/1.jpg", "x");
  const ImageFolder list = ImageFolder::List(folder_.path());
  FileBytes file;
  file.Read(list.PathOf(0));
  EXPECT_LE(file.modified_s(), list.listed_at_s());
}

TEST_F(ImageFolderTest, ManyFilesAreListedAndShuffledAtOnce) {
  std::filesystem::create_directory(folder_.path() / "a");
  Touch("a/first.jpg");
  for (int i = 0; i < 20000; ++i) {
    const std::string name = folder_.path() / ("a/" + std::to_string(i) + ".jpg");
    ASSERT_EQ(link((folder_.path() / "a/first.jpg").c_str(), name.c_str()), 0);
  }
  const double begin_s = MonotonicSeconds();
  const ImageFolder list = ImageFolder::List(folder_.path());
  EXPECT_EQ(ShuffledEpoch(list.size(), 1, 0).size(), 20001U);
  // 20,000 take 20 ms; 100,000 in under 2 s is what bench/loader shows.
  EXPECT_LT(MonotonicSeconds() - begin_s, 5);
}

}  // namespace
}  // namespace stallscope
