#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stallscope/base/units.h"
#include "stallscope/catalog/provenance.h"

namespace stallscope {

struct FlopsPerSecond {
  double value = 0;
};

/// One GPU as software sees it: half a board where a board carries two. Peaks are dense, without sparsity.
/// What is not known is absent.
struct Gpu {
  std::string name;  ///< "V100-SXM2-16GB"
  std::optional<FlopsPerSecond> fp32;
  /// What the GPU holds under load, where that is known to be less than the peak: a K80 runs at its base
  /// clock.
  std::optional<FlopsPerSecond> fp32_sustained;
  std::optional<FlopsPerSecond> tf32;
  std::optional<FlopsPerSecond> fp16;  ///< tensor cores
  std::optional<FlopsPerSecond> bf16;
  std::optional<FlopsPerSecond> bf16_measured;  ///< of a large matrix product
  std::optional<Bytes> memory;
  std::optional<BytesPerSecond> memory_bandwidth;
  std::optional<int> pcie_generation;
  std::string nvlink;                            ///< "2", "bridge", "none"; empty where unknown
  std::optional<BytesPerSecond> nvlink_one_way;  ///< all links together; vendors print the double
  std::optional<int> year;
  Provenance provenance;
};

/// The peak for "fp32", "tf32", "fp16", "amp" or "bf16", sustained where that is known. A GPU without tensor
/// cores has no peak for the last four here; nothing as well where the catalog does not know it.
std::optional<FlopsPerSecond> PeakFor(const Gpu& gpu, std::string_view dtype);

}  // namespace stallscope
