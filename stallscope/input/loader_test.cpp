#include "stallscope/input/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <numeric>
#include <set>

#include "stallscope/base/error.h"
#include "stallscope/input/bad_sample.h"
#include "stallscope/input/image_source.h"
#include "stallscope/input/jpeg_for_tests.h"
#include "stallscope/input/sampler.h"
#include "stallscope/supervise/temporary_folder.h"

namespace stallscope {
namespace {

using testing::HasSubstr;

/// Samples that are their own number; some cannot be used.
class FakeSource : public SampleSource {
 public:
  FakeSource(std::size_t count, std::set<std::uint32_t> bad = {}) : count_(count), bad_(std::move(bad)) {}

  std::size_t size() const override { return count_; }
  std::string PathOf(std::uint32_t sample) const override { return "file" + std::to_string(sample); }
  void Shape(Batch& batch, std::size_t samples) const override { batch.labels.resize(samples); }
  std::string Change() const override { return {}; }
  std::unique_ptr<SampleReader> NewReader() const override {
    struct Reader : SampleReader {
      explicit Reader(const FakeSource& s) : source(s) {}
      void Load(std::uint32_t sample, std::uint64_t /*seed*/, Batch& batch, std::size_t slot) override {
        ++source.loads;
        batch.bytes += 10;
        if (source.bad_.contains(sample)) throw BadSample("is bad");
        batch.labels[slot] = sample;
      }
      const FakeSource& source;
    };
    return std::make_unique<Reader>(*this);
  }

  mutable std::atomic<std::size_t> loads = 0;

 private:
  std::size_t count_;
  std::set<std::uint32_t> bad_;
};

std::vector<std::uint32_t> InOrder(std::size_t count) {
  std::vector<std::uint32_t> samples(count);
  std::iota(samples.begin(), samples.end(), 0U);
  return samples;
}

std::vector<std::int64_t> TakeAll(Loader& loader) {
  std::vector<std::int64_t> labels;
  while (const auto batch = loader.Next())
    labels.insert(labels.end(), batch->labels.begin(),
                  batch->labels.begin() + static_cast<std::ptrdiff_t>(batch->samples));
  return labels;
}

TEST(Loader, BatchesComeInOrderWhateverTheNumberOfWorkers) {
  for (const int workers : {1, 2, 3, 7}) {
    const FakeSource source(103);
    Loader loader(source, {.workers = workers, .batch = 10});
    loader.Begin(InOrder(103), 0);
    const std::vector<std::int64_t> labels = TakeAll(loader);
    ASSERT_EQ(labels.size(), 103U) << "the last batch is a shorter one";
    for (std::size_t i = 0; i < labels.size(); ++i) ASSERT_EQ(labels[i], static_cast<std::int64_t>(i));
    EXPECT_EQ(loader.Next(), nullptr);
  }
}

TEST(Loader, MemoryIsBoundedByTheQueue) {
  const FakeSource source(100000);
  Loader loader(source, {.workers = 2, .batch = 10, .prefetch_per_worker = 2});
  loader.Begin(InOrder(100000), 0);
  usleep(50000);
  // Nobody takes a batch: 2 workers x 2 batches of 10 samples, and nothing more, were prepared.
  EXPECT_LE(source.loads, 40U);
  TakeAll(loader);
  EXPECT_LE(loader.BuffersMade(), 2U * 2 + 1);
}

TEST(Loader, IsIdleBeforeItBeginsAndAfterItsEnd) {
  const FakeSource source(100);
  Loader loader(source, {.workers = 2, .batch = 10});
  usleep(20000);
  EXPECT_EQ(source.loads, 0U);
  loader.Begin(InOrder(40), 0);
  EXPECT_EQ(TakeAll(loader).size(), 40U);
  usleep(20000);
  EXPECT_EQ(source.loads, 40U);
}

TEST(Loader, ANewOrderStartsWithAnEmptyQueue) {
  const FakeSource source(1000);
  Loader loader(source, {.workers = 3, .batch = 10});
  for (int i = 0; i < 50; ++i) {
    loader.Begin(InOrder(1000), 0);
    loader.Next();
    loader.Begin({7, 8, 9}, 1);
    EXPECT_EQ(TakeAll(loader), (std::vector<std::int64_t>{7, 8, 9}));
  }
}

TEST(Loader, AfterCancelNothingIsReadAndNothingComes) {
  const FakeSource source(100000);
  Loader loader(source, {.workers = 2, .batch = 10});
  loader.Begin(InOrder(100000), 0);
  loader.Next();
  loader.Cancel();
  const std::size_t loads = source.loads;
  EXPECT_EQ(loader.Next(), nullptr);
  EXPECT_EQ(loader.Stats().bytes, loads * 10) << "bytes of batches that nobody took count too";
  usleep(10000);
  EXPECT_EQ(source.loads, loads);
}

TEST(Loader, ABatchMayOutliveIt) {
  const FakeSource source(100);
  std::shared_ptr<Batch> kept;
  {
    Loader loader(source, {.workers = 2, .batch = 10});
    loader.Begin(InOrder(100), 0);
    kept = loader.Next();
  }
  EXPECT_EQ(kept->labels[3], 3);
}

TEST(Loader, BadSamplesAreNamedCountedAndReplacedByTheNext) {
  const FakeSource source(300, {5, 6, 299});
  Loader loader(source, {.workers = 2, .batch = 10});
  loader.Begin(InOrder(300), 0);
  const std::vector<std::int64_t> labels = TakeAll(loader);
  EXPECT_EQ(labels[5], 7);
  EXPECT_EQ(labels[6], 7);
  EXPECT_EQ(labels[299], 0) << "after the last comes the first";
  const LoaderStats stats = loader.Stats();
  EXPECT_EQ(stats.bad, 3U);
  ASSERT_EQ(stats.first_bad.size(), 3U);
  EXPECT_THAT(stats.first_bad[0].path, HasSubstr("file"));
  EXPECT_EQ(stats.first_bad[0].reason, "is bad");
}

TEST(Loader, TooManyBadSamplesEndTheRunWithASentence) {
  const FakeSource source(300, {5, 6, 7, 8});
  Loader loader(source, {.workers = 2, .batch = 10});
  loader.Begin(InOrder(300), 0);
  try {
    TakeAll(loader);
    ADD_FAILURE() << "4 of 300 are more than 1 %";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("4 of 300 samples cannot be used, more than --max-bad 1% allows: 'file"));
    EXPECT_THAT(e.hint, HasSubstr("--max-bad"));
  }
}

TEST(Loader, WithoutOneUsableSampleItEnds) {
  // Often: each of the workers may be the one that finds the last.
  for (int i = 0; i < 300; ++i) {
    const FakeSource source(3, {0, 1, 2});
    Loader loader(source, {.workers = 3, .batch = 1, .max_bad = 1});
    loader.Begin(InOrder(3), 0);
    try {
      TakeAll(loader);
      ADD_FAILURE() << "nothing could be loaded";
    } catch (const Error& e) {
      ASSERT_THAT(e.what(), HasSubstr("none of 3 samples can be used: 'file"));
    }
  }
}

TEST(Loader, ImagesAreTheSameForEveryNumberOfWorkers) {
  const TemporaryFolder folder;
  WriteImages(folder.path(), 24);
  const ImageSource source(ImageFolder::List(folder.path()), 32);
  std::vector<std::vector<float>> runs;
  for (const int workers : {1, 3}) {
    Loader loader(source, {.workers = workers, .batch = 8, .seed = 4});
    loader.Begin(ShuffledEpoch(24, 4, 1), 1);
    std::vector<float>& pixels = runs.emplace_back();
    while (const auto batch = loader.Next()) {
      EXPECT_GT(batch->read_s, 0);
      EXPECT_GT(batch->decode_s, 0);
      pixels.insert(pixels.end(), batch->pixels.data(), batch->pixels.data() + batch->pixels.size());
    }
  }
  EXPECT_EQ(runs[0].size(), 24U * 3 * 32 * 32);
  EXPECT_EQ(runs[0], runs[1]);
}

TEST(Loader, FilesThatAreWrittenMeanwhileAreNoticed) {
  const TemporaryFolder folder;
  WriteImages(folder.path(), 4);
  usleep(20000);
  const ImageSource source(ImageFolder::List(folder.path()), 32);
  EXPECT_EQ(source.Change(), "");
  usleep(20000);
  WriteBytes(folder.path() / "class_0/image_1000.jpg", TestJpeg(77, 64, 48));
  Loader loader(source, {.workers = 1, .batch = 4});
  loader.Begin(InOrder(4), 0);
  TakeAll(loader);
  EXPECT_THAT(source.Change(), HasSubstr("image_1000.jpg' was written"));
}

}  // namespace
}  // namespace stallscope
