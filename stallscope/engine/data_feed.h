#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/engine/block.h"
#include "stallscope/engine/messages.h"
#include "stallscope/input/adjusted_source.h"
#include "stallscope/input/cache_verdict.h"
#include "stallscope/input/loader.h"

namespace stallscope {

/// Opens class folders of JPEGs or a token file; `image_size` or `sequence_length` says which the network
/// wants. Throws UsageError where the network wants the other kind. Links out of a folder need `follow`.
std::unique_ptr<SampleSource> OpenDataset(const std::string& path, std::optional<std::int64_t> image_size,
                                          std::optional<std::int64_t> sequence_length, bool follow = false);

/// How a block of real data is cut out of the data set.
struct FeedShape {
  int batch = 1;
  int accumulate = 1;
  int rank = 0;
  int ranks = 1;
  std::uint64_t seed = 1;
};

/// Samples that one rank may touch in a block of so many steps: what it trains on, and what the workers
/// prepare beyond the last step, so that they are as busy at the end as in the middle of an epoch.
std::size_t SamplesOfBlock(const FeedShape& shape, int steps, int workers);

/// One rank's share of the real data, block by block. The loader's workers are idle between blocks.
class DataFeed {
 public:
  DataFeed(std::unique_ptr<SampleSource> source, const DataConfig& config, const FeedShape& shape);

  /// Puts the files of a block into the cache state that it asks for. All ranks of the machine must have done
  /// so before any of them begins.
  void Prepare(const BlockRequest& request);
  /// Starts on the block that was prepared, with an empty queue.
  void Begin();
  /// The next batch; valid until the next call. Throws Error where too many samples are bad.
  const Batch& Next();
  /// Stops the workers, and says what the files turned out to be.
  InputRecord End();

 private:
  std::unique_ptr<SampleSource> source_;
  AdjustedSource adjusted_;
  DataConfig config_;
  FeedShape shape_;
  std::vector<std::uint32_t> order_;
  Loader loader_;

  CacheState asked_ = CacheState::kAny;
  CacheEvidence evidence_;
  std::vector<std::uint32_t> samples_;
  std::uint64_t turn_ = 0;
  LoaderStats before_;
  std::optional<std::uint64_t> device_before_;
  std::shared_ptr<Batch> batch_;
  InputRecord record_;
};

}  // namespace stallscope
