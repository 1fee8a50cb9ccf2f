#include "stallscope/input/page_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "stallscope/input/image_source.h"
#include "stallscope/input/jpeg_for_tests.h"
#include "stallscope/input/read_block.h"
#include "stallscope/input/sampler.h"
#include "stallscope/input/storage.h"
#include "stallscope/supervise/block_device.h"
#include "stallscope/supervise/process_test_support.h"
#include "stallscope/supervise/temporary_folder.h"

namespace stallscope {
namespace {

using testing::HasSubstr;

class PageCache : public testing::Test {
 protected:
  void SetUp() override {
    if (!WholeDiskBelow(folder_.path()))
      GTEST_SKIP() << folder_.path() << " lies on no disk: set TMPDIR to one";
    if (!DeviceBytesRead({})) GTEST_SKIP() << "this kernel does not count the bytes that a process reads";
  }

  TemporaryFolder folder_;
};

TEST_F(PageCache, FreshlyWrittenFilesAreEvictedAndFilledAgain) {
  const std::string path = folder_.path() / "file";
  WriteBytes(path, std::vector<std::uint8_t>(1 << 20, 7));
  EXPECT_EQ(ResidentShare(path), 1.0);
  const CachePreparation cold = MakeCold({&path, 1});
  EXPECT_EQ(cold.bytes, 1U << 20);
  EXPECT_EQ(cold.checked_bytes, 1U << 20);
  // Somebody else, such as a backup, may look at a new file for a moment.
  EXPECT_TRUE(BecomesTrue([&] {
    MakeCold({&path, 1});
    return ResidentShare(path) == 0.0;
  })) << cold.held
      << ' ' << cold.holder;
  MakeWarm({&path, 1});
  EXPECT_EQ(ResidentShare(path), 1.0);
}

TEST_F(PageCache, FilesThatCannotBeOpenedArePassedOver) {
  const std::vector<std::string> paths = {folder_.path() / "missing", folder_.path()};
  EXPECT_EQ(MakeCold(paths).files, 0U);
  EXPECT_EQ(MakeWarm(paths).files, 0U);
  EXPECT_FALSE(ResidentShare(paths[0]));
}

TEST_F(PageCache, AColdBlockComesFromTheDeviceAndAWarmOneFromMemory) {
  WriteImages(folder_.path(), 24, 2, 500, 375);
  const ImageSource source(ImageFolder::List(folder_.path()), 64);
  const auto order = ShuffledEpoch(source.size(), 1, 0);
  const auto read = [&](CacheState state) {
    return ReadBlock(source, order, {.loader = {.workers = 2, .batch = 4}, .cache = state},
                     [](std::size_t) { return true; });
  };
  const ReadResult cold = read(CacheState::kCold);
  EXPECT_EQ(cold.samples, 24U);
  EXPECT_TRUE(cold.cache.verified) << cold.cache.reason;
  EXPECT_EQ(cold.cache.state, "cold");
  EXPECT_GE(*cold.device_bytes, cold.bytes * 98 / 100);
  const ReadResult warm = read(CacheState::kWarm);
  EXPECT_TRUE(warm.cache.verified) << warm.cache.reason;
  EXPECT_EQ(warm.bytes, cold.bytes);
  EXPECT_GT(warm.decode_s, 0);
  ASSERT_TRUE(warm.wait_s);
  EXPECT_EQ(warm.counted_steps, 2U) << "6 batches without the first two of each worker";
}

TEST_F(PageCache, ABlockEndsWhenItIsToldOrItsTimeIsOver) {
  WriteImages(folder_.path(), 20);
  const ImageSource source(ImageFolder::List(folder_.path()), 32);
  const auto order = ShuffledEpoch(source.size(), 1, 0);
  ReadOptions options{.loader = {.workers = 1, .batch = 2}};
  EXPECT_EQ(ReadBlock(source, order, options, [](std::size_t) { return false; }).stopped_by, "interrupt");
  options.max_time = Seconds(1e-9);
  EXPECT_EQ(ReadBlock(source, order, options, [](std::size_t) { return true; }).stopped_by, "max-time");
}

TEST(DeviceBytes, AreReadFromTheProcFile) {
  const TemporaryFolder root;
  WriteText(root.path() / "proc/7/io", "rchar: 1\nwchar: 2\nsyscr: 3\nread_bytes: 4096\nwrite_bytes: 5\n");
  EXPECT_EQ(DeviceBytesRead({root.path()}, "7"), 4096U);
  EXPECT_FALSE(DeviceBytesRead({root.path()}, "8"));
}

}  // namespace
}  // namespace stallscope
