#pragma once

#include <cstdint>
#include <string>

namespace stallscope {

/// How gradients are gathered into all-reduces.
struct BucketCaps {
  std::int64_t first_bytes = 0;
  std::int64_t bytes = 0;
};

/// "tensor" (an all-reduce per tensor), "model" (one for all), or a size. PyTorch's default of 25 MiB
/// comes with a first bucket of 1 MiB, so that the first transfer starts early; so does every size here.
BucketCaps ParseBucket(const std::string& text);

}  // namespace stallscope
