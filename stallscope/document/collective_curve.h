#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/document/estimate.h"
#include "stallscope/document/json_fields.h"

namespace stallscope {

/// One message size of a curve, with the two rates that nccl-tests prints.
struct CollectivePoint {
  std::int64_t bytes = 0;
  Estimate time_s;                   ///< of one collective, the mean over its ranks
  double algorithm_bytes_per_s = 0;  ///< bytes / time
  double bus_bytes_per_s = 0;        ///< that times 2(n-1)/n: what the links carried
  int repeats = 1;                   ///< back to back, in each round
};

/// A size that was not measured, and why.
struct AbsentSize {
  std::int64_t bytes = 0;
  std::string reason;
};

/// Where the curve follows one line.
struct LinkSegment {
  std::int64_t from_bytes = 0;
  std::optional<std::int64_t> to_bytes;  ///< the first size of the next one; nothing: no end is known
  Estimate latency_s;                    ///< one way, of one message
  std::optional<Estimate> bytes_per_s;   ///< nothing: the time does not grow with the size here
};

/// t = 2(n-1) · trips_per_step · latency + 2(n-1)/n · bytes / bandwidth, a ring's time on equal links.
struct LinkFit {
  Estimate latency_s;  ///< the link's, one way: that of the first segment
  /// The link's, each direction: that of the last segment. Nothing where no message was large enough to tell.
  std::optional<Estimate> bytes_per_s;
  /// Messages that follow each other in every step of the ring: with Gloo a notice that the receiver is
  /// ready, and then the data.
  int trips_per_step = 1;
  std::vector<LinkSegment> segments;
  double median_error = 0;  ///< of the sizes that were fitted, relative to the measured time
  double worst_error = 0;
};

/// Two ranks, without a collective.
struct PointToPoint {
  int from_rank = 0;
  int to_rank = 1;
  Estimate latency_s;    ///< half a round trip of a small message
  Estimate bytes_per_s;  ///< of large messages, one after another
};

/// The time of a collective against the size of its message.
struct CollectiveCurve {
  std::string where;  ///< "machine": its ranks are in one; "cluster": in several
  int ranks = 2;
  int nodes = 1;  ///< machines
  std::string collective = "all_reduce";
  std::string backend = "gloo";
  int rounds = 0;
  int disturbed_blocks = 0;             ///< that count, although others took processor time from them
  std::vector<CollectivePoint> points;  ///< by rising size
  std::vector<AbsentSize> absent;
  std::optional<LinkFit> fit;
  std::optional<std::string> no_fit;  ///< why there is none
  std::optional<PointToPoint> point_to_point;
};

Json ToJson(const CollectiveCurve& curve);
CollectiveCurve CollectiveCurveFromJson(const JsonFields& fields);

/// What a fit says of a size; nothing below its first segment.
std::optional<double> FittedTime(const LinkFit& fit, int ranks, double bytes);

}  // namespace stallscope
