#pragma once

#include <optional>

namespace stallscope {

/// What a machine's counters said at one moment. What could not be read is absent.
struct ResourceSample {
  double time_s = 0;  ///< monotonic clock
  /// Since the start of the machine:
  std::optional<double> cpu_busy_s;  ///< of all cores together
  std::optional<double> disk_read_bytes;
  std::optional<double> disk_written_bytes;
  std::optional<double> network_received_bytes;  ///< without loopback
  std::optional<double> network_sent_bytes;
  /// At this moment:
  std::optional<double> memory_used_bytes;  ///< neither free nor cache
  std::optional<double> page_cache_bytes;
  std::optional<double> gpu_busy_share;  ///< mean over GPUs
  std::optional<double> gpu_memory_bytes;
};

}  // namespace stallscope
