#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "stallscope/input/sample_source.h"

namespace stallscope {

/// How samples are read from now on. Changes between blocks, while the workers are idle.
struct ReadAdjustment {
  /// Off: files are read and thrown away, and nothing is decoded.
  bool decode = true;
  /// A worker prepares at most one sample in so long; the rest of the time it sleeps.
  double least_sample_s = 0;
  /// All workers together read no faster than this; 0: as fast as they can.
  double bytes_per_s = 0;
  /// Set by Adjust: delays from before are no debt.
  double since_s = 0;
};

/// Delays keep to a schedule: a worker that woke late, because its core was busy, makes up for so much.
inline constexpr double kMakesUpFor_s = 0.05;

/// Another source, read as it is or with known delays: for the storage alone, and for proofs that a stall of
/// known size is found again. The source must outlive it.
class AdjustedSource : public SampleSource {
 public:
  explicit AdjustedSource(const SampleSource& source) : source_(source) {}

  void Adjust(const ReadAdjustment& adjustment);

  std::size_t size() const override { return source_.size(); }
  std::string PathOf(std::uint32_t sample) const override { return source_.PathOf(sample); }
  void Shape(Batch& batch, std::size_t samples) const override { source_.Shape(batch, samples); }
  std::unique_ptr<SampleReader> NewReader() const override;
  std::string Change() const override { return source_.Change(); }

  ReadAdjustment adjustment() const;
  /// Waits until a storage of the adjusted rate would have delivered so many bytes more.
  void WaitForBytes(double bytes, double bytes_per_s) const;

 private:
  const SampleSource& source_;
  mutable std::mutex mutex_;
  ReadAdjustment adjustment_;
  mutable double storage_free_s_ = 0;  ///< when the slowed storage has delivered all that was asked of it
};

}  // namespace stallscope
