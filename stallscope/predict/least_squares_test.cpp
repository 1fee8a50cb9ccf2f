#include "stallscope/predict/least_squares.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace stallscope {
namespace {

TEST(LeastSquares, FindsTheLineThroughItsPoints) {
  // y = 3 + 2 x, without error.
  const Residuals line = [](std::span<const double> p, std::span<double> r) {
    for (int i = 0; i < 5; ++i) r[static_cast<std::size_t>(i)] = p[0] + p[1] * i - (3 + 2 * i);
  };
  const std::array scales = {1.0, 1.0};
  const LeastSquaresResult fit = MinimizeSquares(line, 5, {0, 0}, scales);
  EXPECT_NEAR(fit.parameters[0], 3, 1e-6);
  EXPECT_NEAR(fit.parameters[1], 2, 1e-6);
  EXPECT_TRUE(fit.converged);
}

TEST(LeastSquares, FollowsACurvedValley) {
  // Rosenbrock's function: its minimum is at (1, 1).
  const Residuals valley = [](std::span<const double> p, std::span<double> r) {
    r[0] = 10 * (p[1] - p[0] * p[0]);
    r[1] = 1 - p[0];
  };
  const std::array scales = {1e-3, 1e-3};
  const LeastSquaresResult fit = MinimizeSquares(valley, 2, {-1.2, 1}, scales);
  EXPECT_NEAR(fit.parameters[0], 1, 1e-2);
  EXPECT_NEAR(fit.parameters[1], 1, 2e-2);
}

TEST(LeastSquares, TheStandardErrorOfAMeanShrinksWithTheRootOfTheCount) {
  // 16 residuals of unit deviation around one number: 1 / sqrt(16).
  const Residuals mean = [](std::span<const double> p, std::span<double> r) {
    for (double& residual : r) residual = p[0];
  };
  const std::array scales = {1.0};
  EXPECT_NEAR(MinimizeSquares(mean, 16, {5}, scales).standard_errors[0], 0.25, 1e-6);
}

}  // namespace
}  // namespace stallscope
