#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/engine/block.h"
#include "stallscope/report/csv_rows.h"

namespace stallscope {

/// What one rank did in a block, as steps.csv and buckets.csv have it.
struct RunRank {
  int rank = 0;
  int node = 0;
  std::vector<StepRecord> steps;
  std::vector<bool> counted;  ///< beside steps: whether it counts in the block's mean
};

/// One block of a run, read back.
struct RunBlock {
  std::optional<int> round;  ///< nothing in warm-up blocks
  std::string condition;
  int block = 0;
  bool polluted = false;
  bool counts = false;  ///< whether its counted steps are part of the document's means
  std::vector<RunRank> ranks;
};

/// Which blocks of a run the document's means are made of: of several of a condition in a round the last; of
/// rounds those that hold every condition; polluted ones only where fewer than half are clean
/// (docs/formats.md). In the order of the file.
std::vector<bool> CountingBlocks(const std::filesystem::path& folder,
                                 const std::vector<std::string>& conditions);

/// Reads a run's folder block by block.
class RunBlocks {
 public:
  /// `conditions`: those of the document. Buckets are read where `buckets` and there is such a file. Throws
  /// Error.
  RunBlocks(const std::filesystem::path& folder, const std::vector<std::string>& conditions, bool buckets);

  /// False at the end. The block's memory is used anew.
  bool Next(RunBlock& block);

 private:
  void ReadBuckets(const RunBlock& block, int rank, int step, StepRecord& record);

  std::vector<bool> counting_;
  std::size_t index_ = 0;
  CsvRows steps_;
  std::optional<CsvRows> buckets_;
  bool more_steps_ = false;
  bool more_buckets_ = false;
};

}  // namespace stallscope
