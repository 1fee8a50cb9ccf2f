#include "stallscope/engine/bucket.h"

#include <algorithm>
#include <limits>

#include "stallscope/base/error.h"
#include "stallscope/base/units.h"

namespace stallscope {

constexpr std::int64_t kFirstBucketBytes = 1 << 20;

BucketCaps ParseBucket(const std::string& text) {
  if (text == "tensor") return {.first_bytes = 1, .bytes = 1};
  if (text == "model") {
    constexpr std::int64_t kEverything = std::numeric_limits<std::int64_t>::max();
    return {.first_bytes = kEverything, .bytes = kEverything};
  }
  const auto size = ParseSize(text);
  if (!size || size->value < 1 || size->value > 1e15) {
    throw UsageError("--bucket '" + text + "' is neither a size nor 'tensor' nor 'model'",
                     "give a size such as 25MiB (PyTorch's default), or tensor, or model");
  }
  const auto bytes = static_cast<std::int64_t>(size->value);
  return {.first_bytes = std::min(kFirstBucketBytes, bytes), .bytes = bytes};
}

}  // namespace stallscope
