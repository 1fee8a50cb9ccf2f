#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace stallscope {

/// Floats that begin at a cache line and are not cleared first: every one is written by a worker.
class AlignedFloats {
 public:
  void Resize(std::size_t count) {
    if (count > capacity_) {
      constexpr std::size_t kCacheLine = 64;
      const std::size_t bytes = (count * sizeof(float) + kCacheLine - 1) / kCacheLine * kCacheLine;
      values_.reset(static_cast<float*>(std::aligned_alloc(kCacheLine, bytes)));
      if (!values_) throw std::bad_alloc();
      capacity_ = count;
    }
    size_ = count;
  }
  float* data() { return values_.get(); }
  const float* data() const { return values_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(float* values) const { std::free(values); }
  };
  std::unique_ptr<float, Free> values_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// What a training step takes. It is filled in place, sample by sample, and used again for a later batch
/// when its last holder lets go.
struct Batch {
  std::size_t samples = 0;
  AlignedFloats pixels;              ///< samples x 3 x height x width, normalised; empty for tokens
  std::vector<std::int64_t> tokens;  ///< samples x (sequence length + 1); empty for images
  std::vector<std::int64_t> labels;  ///< one class per image; empty for tokens
  double read_s = 0;                 ///< one worker's time in reads of the storage
  double decode_s = 0;               ///< the same worker's time in decoding, resizing and normalising
  std::uint64_t bytes = 0;           ///< of the files that were read
  int worker = 0;                    ///< who made it
};

}  // namespace stallscope
