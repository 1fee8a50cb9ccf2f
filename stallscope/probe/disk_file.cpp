#include "stallscope/probe/disk_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <vector>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/base/units.h"
#include "stallscope/input/page_cache.h"
#include "stallscope/probe/request_queue.h"
#include "stallscope/stats/random.h"

namespace stallscope {
namespace {

constexpr std::size_t kChunk = 4 << 20;
constexpr std::int64_t kSector = 4096;
/// Slow disks are not filled for minutes.
constexpr double kLongestWriting_s = 10;
constexpr std::int64_t kShareOfFree = 10;
constexpr const char* kHint = "give --data a folder on the disk that matters, or --skip disk";

std::int64_t FreeBytes(const std::filesystem::path& folder) {
  struct statvfs status {};
  if (statvfs(folder.c_str(), &status) != 0) {
    throw Error(fmt::format("cannot look at '{}': {}", folder.string(), ErrnoText(errno)), kHint);
  }
  return static_cast<std::int64_t>(status.f_bavail) * static_cast<std::int64_t>(status.f_frsize);
}

void WriteAll(int fd, const char* data, std::size_t bytes, const std::string& path) {
  while (bytes > 0) {
    const ssize_t count = write(fd, data, bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Error(fmt::format("cannot write '{}': {}", path, ErrnoText(errno)), kHint);
    data += count;
    bytes -= static_cast<std::size_t>(count);
  }
}

/// Some file systems open past the page cache and then refuse to read.
bool ReadsDirectly(int fd) {
  const RequestBuffer buffer(kSector);
  return pread(fd, buffer.get(), kSector, 0) == kSector;
}

}  // namespace

std::optional<std::int64_t> DiskFileSize(std::int64_t free_bytes) {
  const std::int64_t size = std::min(kLargestDiskFile, free_bytes / kShareOfFree);
  if (size < kSmallestDiskFile) return std::nullopt;
  return size / static_cast<std::int64_t>(kChunk) * static_cast<std::int64_t>(kChunk);
}

DiskFile::DiskFile(const std::filesystem::path& given, Watchdog* watchdog,
                   const std::function<bool()>& keep_going) {
  std::error_code error;
  storage_ = StorageBelow(given);
  if (storage_.kind == StorageKind::kMemory) {
    throw Error(fmt::format("'{}' lies on {}, which is memory", given.string(), storage_.name), kHint);
  }
  if (std::filesystem::is_directory(given, error)) {
    folder_.emplace(watchdog, given);
    Make(folder_->path(), keep_going);
  } else {
    path_ = given;
  }
  Open();
}

void DiskFile::Make(const std::filesystem::path& folder, const std::function<bool()>& keep_going) {
  const std::int64_t free_bytes = FreeBytes(folder);
  const auto size = DiskFileSize(free_bytes);
  if (!size) {
    throw Error(
        fmt::format("only {} are free in '{}', and a file of a tenth of that is too small to read from",
                    FormatBytes(static_cast<double>(free_bytes)), folder.parent_path().string()),
        kHint);
  }
  path_ = folder / "reads";
  const FileDescriptor file(open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.valid()) throw Error(fmt::format("cannot make '{}': {}", path_, ErrnoText(errno)), kHint);
  // Random bytes: some disks compress, and some keep equal blocks once.
  Random random(1);
  std::vector<std::uint64_t> chunk(kChunk / sizeof(std::uint64_t));
  const double begin = MonotonicSeconds();
  std::int64_t written = 0;
  while (written < *size && keep_going()) {
    const bool enough = written >= kSmallestDiskFile;
    if (enough && MonotonicSeconds() - begin > kLongestWriting_s) break;
    for (std::uint64_t& word : chunk) word = random.Next();
    WriteAll(file.get(), reinterpret_cast<const char*>(chunk.data()), kChunk, path_);
    written += static_cast<std::int64_t>(kChunk);
    // Written back as it goes, so that the time above is the disk's and not the memory's.
    sync_file_range(file.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
  }
  if (fdatasync(file.get()) != 0)
    throw Error(fmt::format("cannot write '{}': {}", path_, ErrnoText(errno)), kHint);
}

void DiskFile::Open() {
  file_ = FileDescriptor(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT));
  direct_ = file_.valid() && ReadsDirectly(file_.get());
  if (!direct_) file_ = FileDescriptor(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!file_.valid() || fstat(file_.get(), &status) != 0) {
    throw Error(fmt::format("cannot read '{}': {}", path_, ErrnoText(errno)), kHint);
  }
  if (!S_ISREG(status.st_mode)) throw Error(fmt::format("'{}' is no regular file", path_), kHint);
  bytes_ = status.st_size;
  if (bytes_ < kSmallestDiskFile) {
    throw Error(fmt::format("'{}' has {}, too little to read from for a while", path_,
                            FormatBytes(static_cast<double>(bytes_))),
                fmt::format("give a file of {} or more, or a folder",
                            FormatBytes(static_cast<double>(kSmallestDiskFile))));
  }
  const std::string paths[] = {path_};
  MakeCold(paths);
}

}  // namespace stallscope
