#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/law/measure_cell.h"
#include "stallscope/law/sweep_cell.h"
#include "stallscope/predict/exchange_law.h"

namespace stallscope {

/// What is guessed of this machine before it was measured; the launches so far put it right.
struct SweepSpeed {
  double start_s = 4;        ///< of a launch
  double macs_per_s = 18e9;  ///< of one rank
  /// What weights, gradients and the optimiser's state cost beside multiplications, of a gradient's byte.
  double s_per_gradient_byte = 1.6e-9;
  ExchangeLaw law;
  double factor = 1;  ///< measured launches took so many times as long as they were guessed
};

/// A point of a sweep with its price and its worth.
struct PlannedPoint {
  std::size_t cell = 0;
  std::size_t link = 0;
  double seconds = 0;  ///< without its launch's own
  /// How much each coefficient of the law moves the stall, as a share of the step; and then, one for each
  /// network, how far a network may be from the law.
  std::vector<double> features;
};

struct DroppedPoint {
  SweepCell cell;
  SweepLink link;
  std::string reason;
};

struct SweepPlan {
  std::vector<SweepCell> cells;      ///< with the links that stay, the shortest first
  std::vector<double> cell_seconds;  ///< of each, the whole launch
  std::vector<DroppedPoint> dropped;
  double seconds = 0;
  std::size_t points = 0;
};

/// The step that a cell will make over a link, as the tables foresee it.
ExchangeStep ForeseenStep(const SweepCell& cell, const SweepLink& link, const SweepSpeed& speed);

/// A launch's own seconds (start, warm-up, blocks without synchronisation) and those of each link.
struct CellTime {
  double launch_s = 0;
  std::vector<double> link_s;
  double Total() const;
};
CellTime ForeseenTime(const SweepCell& cell, const CellOptions& options, const SweepSpeed& speed);

/// All cells that fit into `max_time_s`. What does not fit is dropped point by point, always the one whose
/// loss costs least information for the seconds that it saves. Information is the logarithm of the
/// determinant of the features' products (D-optimality): a point whose features others have already brings
/// little.
SweepPlan PlanSweep(const std::vector<SweepCell>& cells, const CellOptions& options, const SweepSpeed& speed,
                    std::optional<double> max_time_s);

/// A single point is dropped from so many until they fit: the choice alone, for any prices and features.
/// `launch_s` is what each cell costs as long as one of its points stays. Returns the places of those that
/// stay.
std::vector<std::size_t> MostInformative(const std::vector<PlannedPoint>& points,
                                         const std::vector<double>& launch_s, double max_time_s);

}  // namespace stallscope
