#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/base/units.h"
#include "stallscope/document/collective_curve.h"
#include "stallscope/engine/collective.h"

namespace stallscope {

struct CurveOptions {
  int nodes = 1;
  int devices_per_node = 2;
  /// For all curves together. Each has an equal share; what one leaves over is the next one's.
  Seconds budget{30};
  std::uint64_t seed = 1;
  /// Free memory of the machine; large messages of many ranks stay well below. Nothing: no limit.
  std::optional<double> memory_bytes;
  std::function<bool()> interrupted = [] { return false; };
  /// Called before every round, the ranks waiting: what else is measured then spreads the curve over more
  /// time. It costs nothing of the budget.
  std::function<void()> between_rounds = [] {};
  /// Told before each curve is measured: a line for people.
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

/// The all-reduce curve of every group that the job has (CollectiveGroups). All sizes of a group alternate in
/// random order within each round. Throws Error when the job is lost or interrupted.
std::vector<CollectiveCurve> MeasureCurves(CollectiveRunner& runner, const CurveOptions& options);

/// Gloo's ring tells the sender that its receiver is ready, and then the data comes: two messages, one after
/// the other, in each of the 2(n-1) steps.
constexpr int kGlooTripsPerStep = 2;

/// Gloo splits a message into two segments for every rank, and sends none that is empty: messages of fewer
/// elements than that (4 B each) take fewer steps than the ring's formula says.
constexpr std::int64_t SmallestWholeRing(int ranks) {
  return std::int64_t{4} * 2 * ranks;
}

}  // namespace stallscope
