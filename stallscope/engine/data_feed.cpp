#include "stallscope/engine/data_feed.h"

#include <fmt/format.h>

#include <filesystem>

#include "stallscope/base/error.h"
#include "stallscope/input/image_source.h"
#include "stallscope/input/page_cache.h"
#include "stallscope/input/sampler.h"
#include "stallscope/input/storage.h"
#include "stallscope/input/token_source.h"

namespace stallscope {
namespace {

LoaderOptions LoaderOptionsOf(const DataConfig& config, const FeedShape& shape) {
  return {.workers = config.workers,
          .batch = static_cast<std::size_t>(shape.batch),
          .seed = shape.seed,
          .max_bad = config.max_bad};
}

}  // namespace

std::unique_ptr<SampleSource> OpenDataset(const std::string& path, std::optional<std::int64_t> image_size,
                                          std::optional<std::int64_t> sequence_length, bool follow) {
  std::error_code code;
  const bool is_folder = std::filesystem::is_directory(path, code);
  if (!is_folder && !std::filesystem::exists(path, code)) {
    throw UsageError(fmt::format("there is no data at '{}'", path),
                     "give --data a folder of class folders, or a token file");
  }
  if (is_folder && !image_size) {
    throw UsageError(fmt::format("'{}' is a folder of images, and this network reads tokens", path),
                     "give --data a token file");
  }
  if (!is_folder && !sequence_length) {
    throw UsageError(fmt::format("'{}' is a file, and this network reads images", path),
                     "give --data a folder of class folders");
  }
  if (is_folder)
    return std::make_unique<ImageSource>(ImageFolder::List(path, follow), static_cast<int>(*image_size));
  return std::make_unique<TokenSource>(TokenFile(path), static_cast<std::size_t>(*sequence_length));
}

std::size_t SamplesOfBlock(const FeedShape& shape, int steps, int workers) {
  const int queue = workers * LoaderOptions{}.prefetch_per_worker;
  return static_cast<std::size_t>(steps * shape.accumulate + queue) * static_cast<std::size_t>(shape.batch);
}

DataFeed::DataFeed(std::unique_ptr<SampleSource> source, const DataConfig& config, const FeedShape& shape)
    : source_(std::move(source)),
      adjusted_(*source_),
      config_(config),
      shape_(shape),
      order_(ShuffledEpoch(source_->size(), shape.seed, 0)),
      loader_(adjusted_, LoaderOptionsOf(config, shape)) {}

void DataFeed::Prepare(const BlockRequest& request) {
  const std::size_t count = SamplesOfBlock(shape_, request.steps, config_.workers);
  // Ranks take neighbouring slices of one random order: no two of them read the same file in a block, as
  // long as there are enough.
  const auto slice = static_cast<std::size_t>(request.turn) * static_cast<std::size_t>(shape_.ranks) +
                     static_cast<std::size_t>(shape_.rank);
  samples_.clear();
  samples_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) samples_.push_back(order_[(slice * count + i) % order_.size()]);
  turn_ = static_cast<std::uint64_t>(request.turn);

  const bool cold = request.data == DataSource::kCold;
  asked_ = cold ? CacheState::kCold : CacheState::kWarm;
  const std::vector<std::string> files = FilesOf(*source_, samples_);
  evidence_ = {};
  evidence_.storage = StorageBelow(files.front());
  evidence_.prepared = cold ? MakeCold(files) : MakeWarm(files);
  adjusted_.Adjust({.decode = request.decode,
                    .least_sample_s = request.inject.least_sample_s,
                    .bytes_per_s = cold ? request.inject.storage_bytes_per_s : 0});
}

void DataFeed::Begin() {
  record_ = {};
  before_ = loader_.Stats();
  device_before_ = DeviceBytesRead({});
  loader_.Begin(samples_, turn_);
}

const Batch& DataFeed::Next() {
  batch_.reset();
  batch_ = loader_.Next();
  if (!batch_) throw Error("the loader ran out of samples within a block", "report this as a bug");
  record_.samples += static_cast<std::int64_t>(batch_->samples);
  record_.read_s += batch_->read_s;
  record_.decode_s += batch_->decode_s;
  record_.bytes_taken += batch_->bytes;
  return *batch_;
}

InputRecord DataFeed::End() {
  batch_.reset();
  loader_.Cancel();
  const std::optional<std::uint64_t> device_after = DeviceBytesRead({});
  const LoaderStats after = loader_.Stats();
  evidence_.file_bytes = record_.bytes = after.bytes - before_.bytes;
  if (device_before_ && device_after) evidence_.device_bytes = *device_after - *device_before_;
  record_.device_bytes = evidence_.device_bytes.value_or(0);
  const CacheVerdict verdict = JudgeCache(asked_, evidence_);
  record_.state = verdict.state;
  record_.verified = verdict.verified;
  record_.reason = verdict.reason;
  record_.worth_a_retry = verdict.worth_a_retry;
  record_.bad_samples = static_cast<std::int64_t>(after.bad);
  record_.change = source_->Change();
  return record_;
}

}  // namespace stallscope
