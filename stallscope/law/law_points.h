#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stallscope/document/law.h"
#include "stallscope/law/measure_cell.h"
#include "stallscope/law/sweep_journal.h"
#include "stallscope/predict/exchange_law.h"

namespace stallscope {

/// One network, bucket, link and number of ranks: what was measured, and the step that the law computes.
struct FitPoint {
  std::size_t network = 0;  ///< index into FitData::networks
  LawPlace place;
  MeasuredStall measured;
  ExchangeStep step;
};

struct FitData {
  std::vector<LawNetwork> networks;
  std::vector<FitPoint> points;
};

/// Everything of a sweep that has at least two rounds which nobody disturbed.
FitData FitDataOf(const Sweep& sweep);

/// Seconds of a point's step without and with synchronisation.
double ComputeSeconds(const FitPoint& point);

/// Of one rank, while all of a machine's ranks copy: where a sweep does not know better.
inline constexpr double kUsualMemoryRate = 8e9;

}  // namespace stallscope
