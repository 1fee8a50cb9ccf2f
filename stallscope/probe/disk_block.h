#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stallscope/probe/disk_file.h"
#include "stallscope/stats/random.h"

namespace stallscope {

/// One way to read a disk.
struct DiskPattern {
  bool random = false;
  std::int64_t request_bytes = 0;
  int depth = 1;  ///< requests in flight

  const char* name() const { return random ? "random" : "sequential"; }
};

/// The patterns of a card: how training reads (large and in order, or whole samples at random), and the two
/// ends that disks are sold by.
const std::vector<DiskPattern>& DiskPatterns();

/// The offsets of a block's requests, in order: neighbours from a random place on, or all requests of the
/// file in random order.
std::vector<std::int64_t> RequestOffsets(const DiskPattern& pattern, std::int64_t file_bytes, Random& random);

/// What one block of reads did.
struct DiskBlock {
  std::int64_t bytes = 0;
  double seconds = 0;
  std::optional<std::uint64_t> device_bytes;  ///< that the kernel fetched for this process meanwhile

  double bytes_per_s() const { return static_cast<double>(bytes) / seconds; }
};

/// Reads for about so long, always with as many requests in flight as the pattern says. Through the page
/// cache, where the file could not be opened past it, the file is evicted first and no request is made twice.
/// Throws Error where a read fails.
DiskBlock ReadDiskBlock(const DiskFile& file, const DiskPattern& pattern, double seconds, Random& random);

}  // namespace stallscope
