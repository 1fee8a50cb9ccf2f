#include "stallscope/engine/data_feed.h"

#include <gtest/gtest.h>

#include <set>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/input/dataset_maker.h"
#include "stallscope/input/storage.h"
#include "stallscope/supervise/temporary_folder.h"

namespace stallscope {
namespace {

class DataFeedTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder();
    MakeDataset(folder_->path() / "set", {.images = 60, .width = 64, .height = 48, .classes = 3}, false, 1,
                [](std::size_t, std::size_t) { return true; });
  }
  static void TearDownTestSuite() { delete folder_; }
  static std::string Path() { return folder_->path() / "set"; }

  static DataFeed Feed(const FeedShape& shape, int workers = 1) {
    return {OpenDataset(Path(), 32, std::nullopt), {.path = Path(), .workers = workers}, shape};
  }
  static BlockRequest Block(DataSource data, int turn, int steps) {
    return {.data = data, .steps = steps, .turn = turn};
  }
  static InputRecord RecordOf(DataFeed& feed, const BlockRequest& request) {
    feed.Prepare(request);
    feed.Begin();
    for (int step = 0; step < request.steps; ++step) feed.Next();
    return feed.End();
  }
  static std::vector<std::int64_t> LabelsOf(DataFeed& feed, const BlockRequest& request) {
    std::vector<std::int64_t> labels;
    feed.Prepare(request);
    feed.Begin();
    for (int step = 0; step < request.steps; ++step) {
      const Batch& batch = feed.Next();
      labels.insert(labels.end(), batch.labels.begin(), batch.labels.end());
    }
    feed.End();
    return labels;
  }

  static TemporaryFolder* folder_;
};

TemporaryFolder* DataFeedTest::folder_ = nullptr;

TEST_F(DataFeedTest, WarmAndColdOfATurnReadTheSameFilesInTheSameOrder) {
  DataFeed feed = Feed({.batch = 4, .rank = 0, .ranks = 2}, 2);
  const auto warm = LabelsOf(feed, Block(DataSource::kWarm, 1, 3));
  EXPECT_EQ(warm, LabelsOf(feed, Block(DataSource::kCold, 1, 3)));
  EXPECT_EQ(warm.size(), 12U);
}

TEST_F(DataFeedTest, TheWorkersHaveMoreToDoThanTheBlockTakes) {
  // 3 steps and two batches ahead for each of 2 workers, 4 samples each.
  EXPECT_EQ(SamplesOfBlock({.batch = 4}, 3, 2), (3U + 4U) * 4U);
  EXPECT_EQ(SamplesOfBlock({.batch = 4, .accumulate = 2}, 3, 2), (6U + 4U) * 4U);
}

TEST_F(DataFeedTest, ABlockSaysWhatItsFilesWere) {
  DataFeed feed = Feed({.batch = 4});
  const InputRecord record = RecordOf(feed, Block(DataSource::kWarm, 0, 2));
  EXPECT_EQ(record.samples, 8);
  EXPECT_GT(record.bytes_taken, 0U);
  EXPECT_GE(record.bytes, record.bytes_taken);
  EXPECT_EQ(record.change, "");
  EXPECT_EQ(record.state, "warm") << record.reason;
}

TEST_F(DataFeedTest, EvictedFilesComeFromTheDevice) {
  if (StorageBelow(Path()).kind != StorageKind::kDisk) GTEST_SKIP() << "the folder lies on no disk";
  DataFeed feed = Feed({.batch = 4});
  LabelsOf(feed, Block(DataSource::kWarm, 0, 2));
  const InputRecord record = RecordOf(feed, Block(DataSource::kCold, 0, 2));
  if (record.state == "unknown") GTEST_SKIP() << record.reason;
  EXPECT_TRUE(record.verified) << record.reason;
}

TEST_F(DataFeedTest, AStorageThatWasSlowedDeliversNoFaster) {
  DataFeed feed = Feed({.batch = 4});
  BlockRequest request = Block(DataSource::kCold, 0, 2);
  request.inject.storage_bytes_per_s = 100'000;
  feed.Prepare(request);
  const double begin_s = MonotonicSeconds();
  feed.Begin();
  feed.Next();
  feed.Next();
  const double took_s = MonotonicSeconds() - begin_s;
  const InputRecord record = feed.End();
  // A lower bound: a sleep may last longer, never shorter.
  EXPECT_GE(took_s, static_cast<double>(record.bytes_taken) / 100'000);
}

TEST_F(DataFeedTest, AWorkerThatWasSlowedTakesItsTimeForEverySample) {
  DataFeed feed = Feed({.batch = 4});
  BlockRequest request = Block(DataSource::kWarm, 0, 2);
  request.inject.least_sample_s = 0.01;
  feed.Prepare(request);
  const double begin_s = MonotonicSeconds();
  feed.Begin();
  feed.Next();
  feed.Next();
  EXPECT_GE(MonotonicSeconds() - begin_s, 8 * 0.01);
  feed.End();
}

TEST_F(DataFeedTest, TheStorageAloneDecodesNothing) {
  DataFeed feed = Feed({.batch = 4});
  BlockRequest request = Block(DataSource::kWarm, 0, 1);
  request.train = false;
  request.decode = false;
  const InputRecord record = RecordOf(feed, request);
  EXPECT_EQ(record.decode_s, 0);
  EXPECT_GT(record.bytes_taken, 0U);
}

TEST_F(DataFeedTest, TheWrongKindOfDataIsRefused) {
  EXPECT_THROW(OpenDataset(Path(), std::nullopt, 128), UsageError);
  EXPECT_THROW(OpenDataset(Path() + "/nothing", 32, std::nullopt), UsageError);
  EXPECT_THROW(OpenDataset(__FILE__, 32, std::nullopt), UsageError);
}

}  // namespace
}  // namespace stallscope
