#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stallscope {

/// y = intercept + slope · x. Neither is negative.
struct Line {
  double intercept = 0;
  double slope = 0;

  double At(double x) const { return intercept + slope * x; }
};

/// The line with the least sum of squared relative errors, (line - y) / y: sizes and times span seven powers
/// of ten, and each should count alike. All y are positive.
Line FitLine(std::span<const double> x, std::span<const double> y);

/// The points from `begin` up to `end`, and the line through them.
struct LinePiece {
  std::size_t begin = 0;
  std::size_t end = 0;
  Line line;
};

/// Lines one after another, over rising x. Pieces need not meet: a library that changes its protocol at some
/// size jumps there. There are as many as Schwarz's criterion wants (1978, "Estimating the dimension of a
/// model"), m ln(error² / m) + parameters · ln m, at most `most_pieces`, each with at least
/// `points_per_piece` points. Errors below kNegligibleError earn no piece.
std::vector<LinePiece> FitPieces(std::span<const double> x, std::span<const double> y,
                                 std::size_t most_pieces = 3, std::size_t points_per_piece = 3);

/// A relative error that nobody would spend another piece on.
constexpr double kNegligibleError = 0.02;

}  // namespace stallscope
