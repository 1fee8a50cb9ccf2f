#include "stallscope/supervise/disk_throttle.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <sstream>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/supervise/block_device.h"

namespace stallscope {
namespace {

namespace fs = std::filesystem;

constexpr char kNeedsRoot[] = "run as root, or leave out the disk limit";

/// Kernel files take one write each, and answer with errno.
int TryWrite(const fs::path& path, const std::string& text) {
  const FileDescriptor fd(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd.valid() || write(fd.get(), text.data(), text.size()) < 0) return errno;
  return 0;
}

void WriteOrThrow(const fs::path& path, const std::string& text) {
  if (const int failure = TryWrite(path, text); failure != 0) {
    throw Error(fmt::format("cannot write '{}' to '{}': {}", text, path.string(), ErrnoText(failure)),
                kNeedsRoot);
  }
}

/// Is one of the words, between separators, this one?
bool HasWord(const std::string& text, char separator, const std::string& word) {
  std::istringstream words(text);
  for (std::string one; std::getline(words, one, separator);) {
    if (one == word) return true;
  }
  return false;
}

std::string NewName() {
  static std::atomic<int> made = 0;
  return fmt::format("stallscope-{}-{}", getpid(), made++);
}

}  // namespace

std::optional<IoController> FindIoController(const Root& root) {
  std::istringstream mounts(ReadText(root, "proc/self/mounts").value_or(""));
  std::optional<IoController> second;
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream fields(line);
    std::string source;
    std::string folder;
    std::string type;
    std::string options;
    fields >> source >> folder >> type >> options;
    if (type == "cgroup" && HasWord(options, ',', "blkio")) return IoController{folder, 1};
    if (type != "cgroup2") continue;
    std::string controllers =
        ReadText(root, fs::path(folder).relative_path() / "cgroup.controllers").value_or("");
    while (!controllers.empty() && controllers.back() == '\n') controllers.pop_back();
    if (HasWord(controllers, ' ', "io")) second = IoController{folder, 2};
  }
  return second;
}

DiskThrottle::DiskThrottle(const fs::path& data, std::optional<BytesPerSecond> read_rate,
                           Watchdog* watchdog) {
  const auto disk = WholeDiskBelow(data);
  if (!disk) {
    throw Error(fmt::format("there is no disk below '{}' that could be slowed", data.string()),
                "use a folder on a local disk: tmpfs, overlay and network file systems have none");
  }
  const auto controller = FindIoController({});
  if (!controller) {
    throw Error("this kernel offers no control of disk rates (cgroup blkio or io)",
                "leave out the disk limit");
  }
  disk_ = *disk;
  controller_ = *controller;
  folder_ = controller_.folder / NewName();
  // Registered first: to remove what is not there does no harm.
  if (watchdog != nullptr) watched_ = watchdog->RemoveCgroup(folder_);
  try {
    if (controller_.version == 2) WriteOrThrow(controller_.folder / "cgroup.subtree_control", "+io");
    if (mkdir(folder_.c_str(), 0755) != 0) {
      throw Error(fmt::format("cannot make cgroup '{}': {}", folder_.string(), ErrnoText(errno)), kNeedsRoot);
    }
    SetRate(read_rate);
  } catch (...) {
    Remove();
    throw;
  }
}

DiskThrottle::~DiskThrottle() {
  Remove();
}

void DiskThrottle::SetRate(std::optional<BytesPerSecond> read_rate) {
  if (read_rate && !(read_rate->value >= 1 && std::isfinite(read_rate->value))) {
    throw UsageError("a disk's rate must be above zero", "give one such as 100MB/s");
  }
  if (controller_.version == 1) {
    // Here the kernel reads 0 as "no limit".
    WriteOrThrow(folder_ / "blkio.throttle.read_bps_device",
                 fmt::format("{} {:.0f}", disk_, read_rate ? read_rate->value : 0));
  } else {
    const std::string rate = read_rate ? fmt::format("{:.0f}", read_rate->value) : "max";
    WriteOrThrow(folder_ / "io.max", fmt::format("{} rbps={}", disk_, rate));
  }
}

void DiskThrottle::Remove() noexcept try {
  const double deadline = MonotonicSeconds() + 5;
  while (rmdir(folder_.c_str()) != 0 && errno == EBUSY && MonotonicSeconds() < deadline) {
    std::ifstream members(cgroup_procs());
    for (std::string pid; members >> pid;) TryWrite(controller_.folder / "cgroup.procs", pid);
    usleep(5000);
  }
} catch (...) {
  return;  // out of memory: the watchdog is still there
}

std::optional<std::string> DiskThrottleUnavailable(const fs::path& data) {
  try {
    const DiskThrottle attempt(data, BytesPerSecond{1e9});
    return std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace stallscope
