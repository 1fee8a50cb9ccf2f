#pragma once

#include <cstdint>
#include <vector>

namespace stallscope {

/// How fast cores decode JPEGs of the size that ImageNet's have.
class DecodeRate {
 public:
  static constexpr int kWidth = 500;
  static constexpr int kHeight = 375;

  /// Makes the images: the same on every machine.
  DecodeRate();

  /// Images per second of all these cores together, decoding for about so long.
  double Measure(const std::vector<int>& cpus, double seconds) const;

  double mean_bytes() const;

 private:
  std::vector<std::vector<std::uint8_t>> images_;
};

}  // namespace stallscope
