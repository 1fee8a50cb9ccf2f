#pragma once

#include <filesystem>
#include <fstream>

#include "stallscope/ladder/measure.h"

namespace stallscope {

/// steps.csv and buckets.csv (docs/formats.md), written block by block and flushed after each, so
/// that a crash loses nothing that was finished.
class StepsCsv : public MeasureObserver {
 public:
  /// Opens both files at once: a path that cannot be written fails before anything is measured.
  /// `append`: the files are there already, and are gone on with.
  explicit StepsCsv(const std::filesystem::path& folder, bool append = false);

  /// Throws Error where the disk is full.
  void OnBlock(const MeasuredBlock& block) override;

 private:
  std::filesystem::path folder_;
  std::ofstream steps_;
  std::ofstream buckets_;
};

void WriteStepsHeader(std::ostream& out);
void WriteSteps(const MeasuredBlock& block, std::ostream& out);
void WriteBucketsHeader(std::ostream& out);
void WriteBuckets(const MeasuredBlock& block, std::ostream& out);

}  // namespace stallscope
