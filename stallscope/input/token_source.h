#pragma once

#include <memory>
#include <string>

#include "stallscope/input/sample_source.h"
#include "stallscope/input/token_file.h"

namespace stallscope {

/// A token file cut into sequences: sample i is the `sequence_length` + 1 tokens from i * sequence_length on;
/// the last one is the target of the one before it.
class TokenSource : public SampleSource {
 public:
  /// Throws Error where the file is shorter than one sequence.
  TokenSource(TokenFile file, std::size_t sequence_length);

  std::size_t size() const override { return sequences_; }
  std::string PathOf(std::uint32_t /*sample*/) const override { return file_.path(); }
  void Shape(Batch& batch, std::size_t samples) const override;
  std::unique_ptr<SampleReader> NewReader() const override;
  std::string Change() const override;

  const TokenFile& file() const { return file_; }
  std::size_t sequence_length() const { return sequence_length_; }

 private:
  TokenFile file_;
  std::size_t sequence_length_;
  std::size_t sequences_;
  std::int64_t opened_with_;  ///< the file's time of change, in nanoseconds
};

}  // namespace stallscope
