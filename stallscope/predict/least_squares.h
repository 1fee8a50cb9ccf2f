#pragma once

#include <functional>
#include <span>
#include <vector>

namespace stallscope {

/// Fills `residuals` for `parameters`. The number of residuals never changes.
using Residuals = std::function<void(std::span<const double> parameters, std::span<double> residuals)>;

struct LeastSquaresResult {
  std::vector<double> parameters;
  std::vector<double> standard_errors;  ///< where a residual of 1 is one standard deviation
  double cost = 0;                      ///< half the sum of squares
  int iterations = 0;
  bool converged = false;
};

/// Levenberg and Marquardt's method with derivatives by differences: some dozen parameters at most.
/// Deterministic. `scales` are the sizes in which the parameters vary; steps of differences are a thousandth
/// of them.
LeastSquaresResult MinimizeSquares(const Residuals& residuals, std::size_t residual_count,
                                   std::vector<double> start, std::span<const double> scales);

}  // namespace stallscope
