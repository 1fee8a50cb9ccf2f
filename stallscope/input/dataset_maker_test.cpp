#include "stallscope/input/dataset_maker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/input/dataset_check.h"
#include "stallscope/input/jpeg_for_tests.h"
#include "stallscope/input/token_file.h"
#include "stallscope/supervise/temporary_folder.h"

namespace stallscope {
namespace {

const MakeProgress kGoOn = [](std::size_t, std::size_t) { return true; };
const DatasetRecipe kSmall{.images = 12, .width = 60, .height = 40, .classes = 3, .tokens = 500, .seed = 9};

class DatasetMaker : public testing::Test {
 protected:
  std::filesystem::path folder() const { return temporary_.path() / "set"; }

  TemporaryFolder temporary_;
};

TEST_F(DatasetMaker, WritesWhatTheListingFinds) {
  const MakeResult made = MakeDataset(folder(), kSmall, false, 2, kGoOn);
  EXPECT_TRUE(made.complete);
  EXPECT_EQ(made.images, 12U);
  const ImageFolder list = ImageFolder::List(folder());
  EXPECT_EQ(list.size(), 12U);
  EXPECT_EQ(list.classes().size(), 3U);
  EXPECT_EQ(TokenFile(folder() / kTokenFile).size(), 500U);
  EXPECT_FALSE(WasInterrupted(folder()));
  const DatasetCheck check = CheckDataset(list, true, 2, [](std::size_t) { return true; });
  EXPECT_EQ(check.bytes, made.image_bytes);
  EXPECT_TRUE(check.bad.empty());
  EXPECT_EQ(check.width.median, 60);
  EXPECT_EQ(check.height.most, 40);
}

TEST_F(DatasetMaker, TheSameSeedGivesTheSameBytesOnAnyNumberOfThreads) {
  MakeDataset(folder(), kSmall, false, 1, kGoOn);
  MakeDataset(temporary_.path() / "again", kSmall, false, 3, kGoOn);
  const ImageFolder list = ImageFolder::List(folder());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto relative = std::filesystem::relative(list.PathOf(i), folder());
    EXPECT_EQ(ReadFile(list.PathOf(i)), ReadFile(temporary_.path() / "again" / relative));
  }
  EXPECT_EQ(ReadFile(folder() / kTokenFile), ReadFile(temporary_.path() / "again" / kTokenFile));
}

TEST_F(DatasetMaker, OnlyItsOwnWorkIsReplacedAndOnlyByForce) {
  MakeDataset(folder(), kSmall, false, 2, kGoOn);
  EXPECT_THROW(MakeDataset(folder(), kSmall, false, 2, kGoOn), UsageError);
  DatasetRecipe fewer = kSmall;
  fewer.images = 4;
  MakeDataset(folder(), fewer, true, 2, kGoOn);
  EXPECT_EQ(ImageFolder::List(folder()).size(), 4U);
  WriteText(temporary_.path() / "mine/photo.jpg", "precious");
  EXPECT_THROW(MakeDataset(temporary_.path() / "mine", kSmall, true, 2, kGoOn), UsageError);
  EXPECT_EQ(ReadFile(temporary_.path() / "mine/photo.jpg"), "precious");
}

TEST_F(DatasetMaker, AnInterruptedRunLeavesWholeFilesAndSaysSo) {
  DatasetRecipe endless = kSmall;
  endless.images = 1000000;
  endless.width = 200;
  endless.height = 200;
  const MakeResult made =
      MakeDataset(folder(), endless, false, 2, [](std::size_t, std::size_t) { return false; });
  EXPECT_FALSE(made.complete);
  EXPECT_TRUE(WasInterrupted(folder()));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder())) {
    if (entry.path().extension() == ".jpg") ++files;
    EXPECT_NE(entry.path().filename().string().front(), '.');
  }
  EXPECT_EQ(files, made.images);
  EXPECT_NO_THROW(MakeDataset(folder(), kSmall, true, 2, kGoOn));
  EXPECT_FALSE(WasInterrupted(folder()));
}

TEST_F(DatasetMaker, TheCheckNamesEveryBadFile) {
  MakeDataset(folder(), kSmall, false, 2, kGoOn);
  const auto truncated = folder() / "class_0000/image_0000000.jpg";
  std::filesystem::resize_file(truncated, std::filesystem::file_size(truncated) - 100);
  WriteText(folder() / "class_0001/empty.jpg", "");
  WriteText(folder() / "class_0002/drawing.jpg", "\x89PNG\r\n\x1a\n");
  const DatasetCheck check =
      CheckDataset(ImageFolder::List(folder()), true, 2, [](std::size_t) { return true; });
  ASSERT_EQ(check.bad.size(), 3U);
  EXPECT_EQ(check.bad[0].path, truncated);
  EXPECT_EQ(check.bad[0].reason, "is truncated");
  EXPECT_EQ(check.bad[1].reason, "is empty");
  EXPECT_EQ(check.bad[2].reason, "is a PNG, not a JPEG");
}

TEST(Spread, OfFewValues) {
  const Spread spread = SpreadOf({3, 1, 2, 6});
  EXPECT_EQ(spread.least, 1);
  EXPECT_EQ(spread.most, 6);
  EXPECT_EQ(spread.mean, 3);
  EXPECT_EQ(SpreadOf({}).most, 0);
}

}  // namespace
}  // namespace stallscope
