#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "stallscope/base/clock.h"

namespace stallscope {

/// What a block of reads has still to ask for.
struct ReadPlan {
  int fd = -1;
  std::int64_t request_bytes = 0;
  int depth = 1;
  double seconds = 0;
  bool repeat = false;  ///< whether to begin again when all offsets were read
  std::vector<std::int64_t> offsets;
};

struct ReadTotals {
  std::int64_t bytes = 0;
  double seconds = 0;  ///< until the last request was answered
};

/// With the kernel's queue (io_submit), which keeps requests in flight only past the page cache; nothing
/// where there is none, as some containers have it.
std::optional<ReadTotals> ReadThroughQueue(const ReadPlan& plan);

/// With one thread per request in flight.
ReadTotals ReadWithThreads(const ReadPlan& plan);

/// Page-aligned memory for one request, of small pages that lie scattered, as those of the page cache and of
/// most programs do. A disk reads into neighbouring pages as into one, and virtual disks do so up to three
/// times as fast: whether a process was given such pages is chance, and says nothing about the disk.
class RequestBuffer {
 public:
  explicit RequestBuffer(std::int64_t bytes);
  ~RequestBuffer();
  RequestBuffer(RequestBuffer&& other) noexcept;
  RequestBuffer(const RequestBuffer&) = delete;
  RequestBuffer& operator=(const RequestBuffer&) = delete;

  char* get() const { return memory_; }

 private:
  char* memory_ = nullptr;
  std::size_t bytes_;
};

/// Throws Error for a read that was not answered whole; `result` as read(2) or -errno.
void CheckWhole(std::int64_t result, std::int64_t wanted);

}  // namespace stallscope
