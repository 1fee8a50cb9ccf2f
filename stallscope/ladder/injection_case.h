#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stallscope/engine/block.h"
#include "stallscope/ladder/breakdown.h"

namespace stallscope {

/// One way to slow a job by a known amount: what is done, and what follows from it by arithmetic.
struct InjectionCase {
  std::string name;
  std::string what;  ///< for people: what is done, with its size
  Injection inject;  ///< inside the ranks
  /// Of the links and the disk, in bytes per second; nothing: as in the baseline.
  std::optional<double> node_bytes_per_s;
  std::optional<double> network_bytes_per_s;
  std::optional<double> disk_bytes_per_s;  ///< of all ranks together, in cold blocks
};

/// What the arithmetic starts from.
struct InjectionBasis {
  int ranks = 2;
  double bytes_on_wire = 0;        ///< per rank and step, headers included
  double network_bytes_per_s = 0;  ///< of the shaped link in the baseline
  double step_bytes = 0;           ///< of the files of one rank's step
  double step_device_bytes = 0;    ///< what the disk reads for them: whole pages
  double samples_per_step = 0;     ///< of one rank

  double WireTime(double bytes_per_s) const { return bytes_on_wire / bytes_per_s; }
};

/// Ethernet, IP and TCP headers at an MTU of 1500: 1514 bytes carry 1448.
double BytesOnWire(double gradient_bytes, int ranks);

/// The step times that a case should give, from the baseline's of the same round:
///   solo      + delay, in the turns of the slow rank
///   crowd     + delay / ranks: the mean over ranks
///   node      + delay; with its link at the network's rate it is the baseline's cluster
///   cluster   + delay + what the wire takes longer
///   warm      the longest of: itself, cluster, the slowed loader (loading hides behind waiting)
///   cold      the longest of: itself, warm, the slowed storage (which goes on while a worker decodes)
RoundTimes ExpectedTimes(const InjectionCase& injected, const InjectionBasis& basis,
                         const RoundTimes& baseline, bool slow_rank_ran_solo);

/// The same arithmetic in words.
std::string ArithmeticOf(const InjectionCase& injected, const InjectionBasis& basis);

/// Injections large enough to bind, sized by the baseline's cluster step: one at a time, then all together.
/// `limits_disk`: whether a cgroup can slow the disk here.
std::vector<InjectionCase> CasesFor(const InjectionBasis& basis, double cluster_step_s, bool limits_disk);

}  // namespace stallscope
