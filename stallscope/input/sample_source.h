#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stallscope/input/batch.h"

namespace stallscope {

/// One worker's tools: buffers and codecs that are kept from sample to sample.
class SampleReader {
 public:
  virtual ~SampleReader() = default;
  /// Reads a sample and writes it into its slot of the batch; adds to the batch's times and bytes. Throws
  /// BadSample.
  virtual void Load(std::uint32_t sample, std::uint64_t seed, Batch& batch, std::size_t slot) = 0;
  /// Reads a sample's bytes and decodes nothing, where reading and decoding are apart.
  virtual void ReadOnly(std::uint32_t sample, Batch& batch, std::size_t slot) {
    Load(sample, 0, batch, slot);
  }
};

/// A data set as the loader sees it. Shared by all workers, and constant.
class SampleSource {
 public:
  virtual ~SampleSource() = default;
  virtual std::size_t size() const = 0;
  /// The file that a sample lies in.
  virtual std::string PathOf(std::uint32_t sample) const = 0;
  /// Makes room for so many samples.
  virtual void Shape(Batch& batch, std::size_t samples) const = 0;
  virtual std::unique_ptr<SampleReader> NewReader() const = 0;
  /// What is not as it was when the data set was opened, as a sentence; empty where nothing is.
  virtual std::string Change() const = 0;
};

/// The files of the samples; neighbours in one token file name it once.
std::vector<std::string> FilesOf(const SampleSource& source, const std::vector<std::uint32_t>& samples);

}  // namespace stallscope
