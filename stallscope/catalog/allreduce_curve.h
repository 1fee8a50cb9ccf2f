#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stallscope/base/units.h"
#include "stallscope/catalog/provenance.h"
#include "stallscope/document/estimate.h"

namespace stallscope {

/// Time against message size between two sizes: intercept + bytes · f / bus bandwidth, where f = 2(n-1)/n for
/// an all-reduce of n GPUs and (n-1)/n for an all-gather or a reduce-scatter.
struct CurveSegment {
  Bytes from;
  Bytes to;
  std::optional<Seconds> intercept;             ///< absent where only one size was measured
  std::optional<BytesPerSecond> bus_bandwidth;  ///< absent: the curve is flat here
  std::optional<BytesPerSecond> low;            ///< 95 %; absent where it cannot be told
  std::optional<BytesPerSecond> high;
};

/// A published curve of nccl-tests, fitted (scripts/catalog/fit_allreduce.py). Segments meet.
struct AllReduceCurve {
  std::string name;     ///< in the table
  std::string system;   ///< a machine of the catalog, or the source's own words
  std::string machine;  ///< of the catalog; empty where the system is none
  std::string gpu;
  int gpus = 0;  ///< in all
  int nodes = 0;
  std::string collective;  ///< "all_reduce", "all_gather", "reduce_scatter"
  /// "nvlink", "nvls" (reduced in the switch), "pcie", "efa", "infiniband", "roce", "tcp", "tcpx", "tcpxo"
  /// ...
  std::string transport;
  std::string transport_listed;
  std::optional<Estimate> latency_s;  ///< of the smallest messages, 95 %
  std::vector<CurveSegment> segments;
  std::optional<double> fit_error;  ///< root mean square of log(fitted / measured time); none for one point
  int points = 0;
  Provenance provenance;
};

/// 2(n-1)/n or (n-1)/n: bus bandwidth = factor · bytes / time.
double BusFactor(const AllReduceCurve& curve);

/// Of one message. Sizes outside of what was measured take the first or last segment. Nothing where a single
/// size was measured and another one is asked for.
std::optional<Seconds> TimeOf(const AllReduceCurve& curve, Bytes bytes);

/// The bus bandwidth in B/s of the largest message that was measured; low = mean = high where the spread is
/// not known.
Estimate LargestMessageBandwidth(const AllReduceCurve& curve);

/// What a vendor's health check demands or a maintainer expects: no measurement, and kept apart from those.
struct AllReduceThreshold {
  std::string machine;
  int gpus = 0;
  int nodes = 0;
  std::string transport;
  std::string kind;  ///< "health_check_minimum", "maintainer_expected"
  std::optional<Bytes> bytes;
  BytesPerSecond bus_bandwidth;
  Provenance provenance;
};

}  // namespace stallscope
