#include "stallscope/probe/request_queue.h"

#include <fmt/format.h>
#include <linux/aio_abi.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <exception>
#include <functional>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include "stallscope/base/error.h"
#include "stallscope/stats/random.h"
#include "stallscope/supervise/file_descriptor.h"

namespace stallscope {
namespace {

constexpr std::size_t kPage = 4096;

/// The kernel's own calls: glibc has none, and libaio adds nothing to them.
class KernelQueue {
 public:
  explicit KernelQueue(int depth) {
    valid_ = syscall(SYS_io_setup, static_cast<unsigned>(depth), &context_) == 0;
  }
  ~KernelQueue() {
    // Waits for what is still in flight, so that no buffer is written to later.
    if (valid_) syscall(SYS_io_destroy, context_);
  }
  KernelQueue(const KernelQueue&) = delete;
  KernelQueue& operator=(const KernelQueue&) = delete;

  bool valid() const { return valid_; }

  /// One at a time: the kernel holds a batch back until the last of it is prepared, and the disk, which had
  /// answered all of them together, waits meanwhile (4 KiB, 16 in flight: 0.83x).
  void Submit(iocb* request) {
    while (syscall(SYS_io_submit, context_, 1L, &request) != 1) {
      if (errno != EAGAIN && errno != EINTR) CheckWhole(-errno, 1);
    }
  }

  std::size_t Wait(std::vector<io_event>& events) {
    while (true) {
      const long count =
          syscall(SYS_io_getevents, context_, 1L, static_cast<long>(events.size()), events.data(), nullptr);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) CheckWhole(-errno, 1);
    }
  }

 private:
  aio_context_t context_ = 0;
  bool valid_ = false;
};

}  // namespace

RequestBuffer::RequestBuffer(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {
  void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Error("there is no memory to read into", "give --skip disk");
  memory_ = static_cast<char*>(memory);
  madvise(memory_, bytes_, MADV_NOHUGEPAGE);
  // The kernel hands out pages as they are touched, often one after the other.
  std::vector<std::size_t> pages((bytes_ + kPage - 1) / kPage);
  std::iota(pages.begin(), pages.end(), std::size_t{0});
  Random random(1);
  random.Shuffle(pages);
  for (const std::size_t page : pages) memory_[page * kPage] = 1;
}

RequestBuffer::~RequestBuffer() {
  if (memory_) munmap(memory_, bytes_);
}

RequestBuffer::RequestBuffer(RequestBuffer&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}

void CheckWhole(std::int64_t result, std::int64_t wanted) {
  if (result == wanted) return;
  throw Error(result < 0
                  ? fmt::format("a read from the disk failed: {}", ErrnoText(static_cast<int>(-result)))
                  : "a read from the disk was cut short: the file became shorter",
              "check the disk with dmesg, or give --skip disk");
}

std::optional<ReadTotals> ReadThroughQueue(const ReadPlan& plan) {
  const auto depth = static_cast<std::size_t>(plan.depth);
  // Before the queue: its end waits for requests that write into these.
  std::vector<RequestBuffer> buffers;
  std::vector<iocb> requests(depth);
  KernelQueue queue(plan.depth);
  if (!queue.valid()) return std::nullopt;
  std::size_t next = 0;
  const auto more = [&] { return plan.repeat || next < plan.offsets.size(); };
  const auto prepare = [&](std::size_t slot) {
    requests[slot] = {};
    requests[slot].aio_data = slot;
    requests[slot].aio_lio_opcode = IOCB_CMD_PREAD;
    requests[slot].aio_fildes = static_cast<std::uint32_t>(plan.fd);
    requests[slot].aio_buf = reinterpret_cast<std::uint64_t>(buffers[slot].get());
    requests[slot].aio_nbytes = static_cast<std::uint64_t>(plan.request_bytes);
    requests[slot].aio_offset = plan.offsets[next++ % plan.offsets.size()];
    return &requests[slot];
  };
  for (std::size_t slot = 0; slot < depth; ++slot) buffers.emplace_back(plan.request_bytes);
  std::size_t in_flight = 0;
  const auto submit = [&](std::size_t slot) {
    queue.Submit(prepare(slot));
    ++in_flight;
  };
  ReadTotals totals;
  std::vector<io_event> events(depth);
  const double begin = MonotonicSeconds();
  for (std::size_t slot = 0; slot < depth && more(); ++slot) submit(slot);
  while (in_flight > 0) {
    const std::size_t count = queue.Wait(events);
    in_flight -= count;
    totals.seconds = MonotonicSeconds() - begin;
    for (std::size_t i = 0; i < count; ++i) {
      CheckWhole(events[i].res, plan.request_bytes);
      totals.bytes += plan.request_bytes;
      if (totals.seconds < plan.seconds && more()) submit(events[i].data);
    }
  }
  return totals;
}

ReadTotals ReadWithThreads(const ReadPlan& plan) {
  std::atomic<std::size_t> next = 0;
  std::atomic<std::int64_t> bytes = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  std::vector<RequestBuffer> buffers;
  for (int i = 0; i < plan.depth; ++i) buffers.emplace_back(plan.request_bytes);
  const double begin = MonotonicSeconds();
  const auto read_on = [&](const RequestBuffer& buffer) {
    try {
      while (MonotonicSeconds() - begin < plan.seconds) {
        const std::size_t index = next++;
        if (!plan.repeat && index >= plan.offsets.size()) return;
        const std::int64_t offset = plan.offsets[index % plan.offsets.size()];
        const ssize_t count =
            pread(plan.fd, buffer.get(), static_cast<std::size_t>(plan.request_bytes), offset);
        CheckWhole(count < 0 ? -errno : count, plan.request_bytes);
        bytes += count;
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> readers;
    for (const RequestBuffer& buffer : buffers) readers.emplace_back(read_on, std::cref(buffer));
  }
  if (failure) std::rethrow_exception(failure);
  return {.bytes = bytes, .seconds = MonotonicSeconds() - begin};
}

}  // namespace stallscope
