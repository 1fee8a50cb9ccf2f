#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace stallscope {

/// Whole files, one after another, into one buffer that only grows.
class FileBytes {
 public:
  /// Throws BadSample where it cannot be read. The bytes stay until the next call.
  std::span<const std::uint8_t> Read(const std::string& path);
  /// When the file that was read last was written, in seconds of the wall clock.
  double modified_s() const { return modified_s_; }

 private:
  std::vector<std::uint8_t> buffer_;
  double modified_s_ = 0;
};

}  // namespace stallscope
