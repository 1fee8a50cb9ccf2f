#include "stallscope/probe/disk_block.h"

#include <fcntl.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "stallscope/input/page_cache.h"
#include "stallscope/probe/request_queue.h"

namespace stallscope {
namespace {

constexpr std::int64_t kKibi = 1024;

}  // namespace

const std::vector<DiskPattern>& DiskPatterns() {
  static const std::vector<DiskPattern> kPatterns = {
      {.random = false, .request_bytes = 1024 * kKibi, .depth = 1},
      {.random = false, .request_bytes = 1024 * kKibi, .depth = 8},
      {.random = false, .request_bytes = 128 * kKibi, .depth = 8},
      {.random = true, .request_bytes = 128 * kKibi, .depth = 8},
      {.random = true, .request_bytes = 4 * kKibi, .depth = 1},
      {.random = true, .request_bytes = 4 * kKibi, .depth = 16},
  };
  return kPatterns;
}

std::vector<std::int64_t> RequestOffsets(const DiskPattern& pattern, std::int64_t file_bytes,
                                         Random& random) {
  const auto count = static_cast<std::size_t>(file_bytes / pattern.request_bytes);
  std::vector<std::int64_t> offsets(count);
  std::iota(offsets.begin(), offsets.end(), 0);
  if (pattern.random) {
    random.Shuffle(offsets);
  } else {
    std::rotate(offsets.begin(), offsets.begin() + static_cast<std::ptrdiff_t>(random.Below(count)),
                offsets.end());
  }
  for (std::int64_t& offset : offsets) offset *= pattern.request_bytes;
  return offsets;
}

DiskBlock ReadDiskBlock(const DiskFile& file, const DiskPattern& pattern, double seconds, Random& random) {
  ReadPlan plan{.fd = file.fd(),
                .request_bytes = pattern.request_bytes,
                .depth = pattern.depth,
                .seconds = seconds,
                .repeat = file.direct(),
                .offsets = RequestOffsets(pattern, file.bytes(), random)};
  if (!file.direct()) {
    const std::string paths[] = {file.path()};
    MakeCold(paths);
    posix_fadvise(file.fd(), 0, 0, pattern.random ? POSIX_FADV_RANDOM : POSIX_FADV_SEQUENTIAL);
  }
  const auto before = DeviceBytesRead({}, "self");
  std::optional<ReadTotals> totals;
  if (file.direct() && pattern.depth > 1) totals = ReadThroughQueue(plan);
  if (!totals) totals = ReadWithThreads(plan);
  const auto after = DeviceBytesRead({}, "self");
  DiskBlock block{.bytes = totals->bytes, .seconds = totals->seconds};
  if (before && after) block.device_bytes = *after - *before;
  return block;
}

}  // namespace stallscope
