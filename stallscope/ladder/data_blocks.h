#pragma once

#include <optional>
#include <string>

#include "stallscope/document/profile.h"
#include "stallscope/engine/block.h"
#include "stallscope/ladder/condition.h"

namespace stallscope {

/// What all ranks' files were in a block with real data.
struct DataVerdict {
  bool usable = true;  ///< what was asked for, or the nearest that a network file system can give
  bool worth_a_retry = false;
  std::string state;   ///< "warm", "cold" or "client-cold" where usable
  std::string reason;  ///< why not, with the rank
};

/// Blocks without real data are always usable.
DataVerdict JudgeData(const BlockResult& block);

/// The loader without training, on files in memory; all ranks at once.
BlockRequest LoaderAlone(const Layout& layout, int turn, int steps);
/// The storage without decoding and training: evicted files are read and thrown away; all ranks at once.
BlockRequest StorageAlone(const Layout& layout, int turn, int steps);

/// The mean time of a step's batches, over ranks and the steps after the first `skip`.
double StepTimeAlone(const BlockResult& block, int skip);
/// What one worker needs for one sample.
LoaderInfo LoaderInfoOf(const BlockResult& block);

}  // namespace stallscope
