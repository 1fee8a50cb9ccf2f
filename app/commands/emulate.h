#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "stallscope/base/units.h"
#include "stallscope/supervise/disk_throttle.h"
#include "stallscope/supervise/network_lab.h"
#include "stallscope/supervise/watchdog.h"

namespace stallscope {

/// What --emulate asks for.
struct EmulateOption {
  int nodes = 2;
  std::optional<BytesPerSecond> bandwidth;  ///< of every machine's link; nothing: as fast as this machine can
  std::optional<BytesPerSecond> disk;       ///< of all machines together: they share this machine's disk
};

/// "nodes=2,bandwidth=1Gbit,disk=100MB/s". Throws UsageError.
EmulateOption ParseEmulate(const std::string& text);

/// Machines made out of this one, for as long as this lives.
class EmulatedMachines {
 public:
  /// Throws Error that says which right is missing. `data` is what the disk limit is for.
  EmulatedMachines(const EmulateOption& option, const std::string& data, Watchdog& watchdog);

  void Place(int node, ChildOptions& options) const;
  /// From now on. Before, the ranks have to read their program, which is no data.
  void LimitDisk();
  NetworkLab& network() { return network_; }
  DiskThrottle* disk() { return disk_ ? &*disk_ : nullptr; }

 private:
  NetworkLab network_;
  std::optional<BytesPerSecond> disk_rate_;
  std::optional<DiskThrottle> disk_;
};

}  // namespace stallscope
