#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stallscope/document/profile.h"
#include "stallscope/ladder/measure.h"

namespace stallscope {

/// What a profile says about its origin; the ladder adds the rest.
struct ProfileOrigin {
  ToolInfo tool;
  std::string created;
  std::vector<std::string> argv;
  HostInfo host;
  WorkloadInfo workload;
  std::string device;   ///< "cpu"
  std::string backend;  ///< "gloo"
  std::optional<double> emulated_bandwidth_bytes_per_s;
  std::optional<double> emulated_disk_bytes_per_s;
  std::optional<std::int64_t> room_bytes;  ///< memory of a machine that cached files could take
};

/// Everything that was measured as one document. Throws Error where fewer than two rounds were
/// finished; where measuring failed, with the runner's own words.
Profile MakeProfile(const ProfileOrigin& origin, const MeasureOptions& options, const Rungs& rungs,
                    const MeasureResult& measured);

}  // namespace stallscope
