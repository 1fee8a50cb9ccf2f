#pragma once

#include <string>
#include <vector>

#include "stallscope/recommend/candidate.h"

namespace stallscope {

/// A training step that somebody timed, on a machine of the catalog with the workload that is asked about.
struct KnownRun {
  std::size_t machine = 0;  ///< of the catalog
  int nodes = 1;
  int devices = 1;  ///< of all machines
  int batch = 1;    ///< per device
  Estimate step_s;
  StepMeans parts;
  StepBasis basis = StepBasis::kMeasured;  ///< or kPublished
  std::string from;                        ///< the file, or who published it
};

/// How closely the errors of two predictions on one machine go together, between 0 and 1: both miss in what
/// the GPU does, and each further doubling of machines or batch adds something of its own. An assumption
/// (docs/recommend.md).
double Correlation(int nodes, int batch, int other_nodes, int other_batch);

/// Standard deviation of the logarithm, from a 95 % interval.
double LogSpread(const Estimate& estimate);
/// The 95 % interval of a log-normal estimate around its middle.
Estimate LogNormal(double middle, double log_spread);

/// Puts runs in place of the predictions for the same machines and batch, as they are; what is predicted for
/// the same machine otherwise moves towards what the nearest run showed, and becomes more certain
/// (conditioning of a normal distribution). Runs without a prediction become configurations. `origins` takes
/// where they are from.
void Calibrate(const std::vector<KnownRun>& runs, std::vector<Configuration>& configurations,
               std::vector<std::string>& origins);

}  // namespace stallscope
