#pragma once

#include <filesystem>
#include <fstream>

#include "stallscope/ladder/measure.h"

namespace stallscope {

/// samples.csv (docs/formats.md): the raw counters behind a rung's resources, flushed after every block. It
/// is only made where samples are asked for.
class SamplesCsv : public MeasureObserver {
 public:
  /// Opens the file at once: a path that cannot be written fails before anything is measured.
  explicit SamplesCsv(const std::filesystem::path& folder, bool append = false);

  /// Throws Error where the disk is full.
  void OnBlock(const MeasuredBlock& block) override;

 private:
  std::filesystem::path folder_;
  std::ofstream samples_;
};

void WriteSamplesHeader(std::ostream& out);
void WriteSamples(const MeasuredBlock& block, std::ostream& out);

}  // namespace stallscope
