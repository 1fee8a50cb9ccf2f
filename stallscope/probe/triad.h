#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "stallscope/machine/topology.h"

namespace stallscope {

/// How large the arrays must be: at least four times the cache that they would otherwise be served from
/// (STREAM's rule), and never below kSmallestArray.
struct TriadSizes {
  std::int64_t one_core = 0;   ///< against the cache that one core reaches
  std::int64_t all_cores = 0;  ///< against all caches of the last level together
};
inline constexpr std::int64_t kSmallestArray = 64 << 20;
TriadSizes TriadSizesFor(const TopologyFacts& topology);

/// Three arrays, and the rate at which a pass over them goes.
class Triad {
 public:
  /// Every part of the arrays is first touched by the core that works on it, so that it lies in its memory.
  /// Throws Error where there is no memory.
  Triad(const TriadSizes& sizes, std::vector<int> cpus);
  ~Triad();
  Triad(const Triad&) = delete;
  Triad& operator=(const Triad&) = delete;

  /// Bytes per second of one pass, as STREAM counts: 24 bytes an element, none for the read of a line before
  /// it is written.
  double OneCore(int cpu);
  double AllCores();

  const TriadSizes& sizes() const { return sizes_; }
  const std::vector<int>& cpus() const { return cpus_; }

 private:
  struct Part {
    std::size_t begin = 0;
    std::size_t count = 0;
  };
  Part PartOf(std::size_t worker) const;
  double RateOf(std::size_t count, double seconds);

  TriadSizes sizes_;
  std::vector<int> cpus_;
  std::size_t mapped_bytes_ = 0;
  double* a_ = nullptr;
  double* b_ = nullptr;
  double* c_ = nullptr;
};

}  // namespace stallscope
