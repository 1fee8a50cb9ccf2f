#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "stallscope/base/root.h"
#include "stallscope/base/units.h"
#include "stallscope/supervise/watchdog.h"

namespace stallscope {

/// Where the kernel takes limits on disks.
struct IoController {
  std::filesystem::path folder;  ///< the top of its tree of cgroups
  int version = 1;               ///< 1: blkio, 2: io
};

/// cgroup v1's blkio where it is mounted (then v2 does not have it), else v2's io.
std::optional<IoController> FindIoController(const Root& root);

/// A cgroup whose members read the disk below a path no faster than the rate, from the disk and not from the
/// page cache. Gone with this object, or by the watchdog.
class DiskThrottle {
 public:
  /// Throws Error where it cannot be had (see DiskThrottleUnavailable). Without a rate nothing is slowed yet.
  DiskThrottle(const std::filesystem::path& data, std::optional<BytesPerSecond> read_rate,
               Watchdog* watchdog = nullptr);
  DiskThrottle(const DiskThrottle&) = delete;
  DiskThrottle& operator=(const DiskThrottle&) = delete;
  /// Members that still run go back to the top cgroup.
  ~DiskThrottle();

  /// For ChildOptions::cgroup_procs.
  std::filesystem::path cgroup_procs() const { return folder_ / "cgroup.procs"; }
  const std::filesystem::path& folder() const { return folder_; }

  /// Nothing: as fast as the disk can.
  void SetRate(std::optional<BytesPerSecond> read_rate);

 private:
  void Remove() noexcept;

  IoController controller_;
  std::string disk_;
  std::filesystem::path folder_;
  Watchdog::Item watched_;
};

/// Why reads of this path cannot be slowed; nothing where they can. It tries.
std::optional<std::string> DiskThrottleUnavailable(const std::filesystem::path& data);

}  // namespace stallscope
