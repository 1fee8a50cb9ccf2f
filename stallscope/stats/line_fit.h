#pragma once

#include <cstddef>
#include <vector>

namespace stallscope {

/// y = intercept + slope · x. Neither is negative.
struct Line {
  double intercept = 0;
  double slope = 0;

  double At(double x) const { return intercept + slope * x; }
};

/// Measured points. Sizes and times span seven powers of ten, so that errors are relative: (line - y) / y.
struct LinePoints {
  std::vector<double> x;        ///< rising
  std::vector<double> y;        ///< positive
  std::vector<double> scatter;  ///< the relative standard error of each y

  std::size_t size() const { return x.size(); }
};

/// A relative error that nobody would spend another parameter on. Points count as if each had at least this
/// one, however precise they are: no machine follows a line exactly.
constexpr double kNegligibleError = 0.02;

/// The line through the points from `begin` up to `end` with the least sum of (error / expected error)²,
/// where the expected error of a point is the root of scatter² + kNegligibleError².
Line FitLine(const LinePoints& points, std::size_t begin, std::size_t end);

/// The points from `begin` up to `end`, and the line through them.
struct LinePiece {
  std::size_t begin = 0;
  std::size_t end = 0;
  Line line;
};

/// Lines one after another. Pieces need not meet: a library that changes its protocol at some size jumps
/// there. There are as many as Schwarz's criterion wants (1978, "Estimating the dimension of a model"), the
/// sum above + parameters · ln points, at most `most_pieces`, each with at least `points_per_piece` points.
std::vector<LinePiece> FitPieces(const LinePoints& points, std::size_t most_pieces = 3,
                                 std::size_t points_per_piece = 3);

}  // namespace stallscope
