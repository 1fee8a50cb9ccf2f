#include "stallscope/stats/line_fit.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace stallscope {
namespace {

/// One over the square of the error that is expected of a point.
double WeightOf(const LinePoints& points, std::size_t i) {
  return 1 / (points.scatter[i] * points.scatter[i] + kNegligibleError * kNegligibleError);
}

double SquaredErrors(const Line& line, const LinePoints& points, std::size_t begin, std::size_t end) {
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const double error = line.At(points.x[i]) / points.y[i] - 1;
    sum += WeightOf(points, i) * error * error;
  }
  return sum;
}

/// Every piece that there can be, fitted once.
class PieceTable {
 public:
  PieceTable(const LinePoints& points, std::size_t least)
      : size_(points.size()), lines_((size_ + 1) * (size_ + 1)), errors_(lines_.size(), kNone) {
    for (std::size_t begin = 0; begin < size_; ++begin) {
      for (std::size_t end = begin + least; end <= size_; ++end) {
        lines_[Place(begin, end)] = FitLine(points, begin, end);
        errors_[Place(begin, end)] = SquaredErrors(lines_[Place(begin, end)], points, begin, end);
      }
    }
  }

  static constexpr double kNone = std::numeric_limits<double>::infinity();

  const Line& LineOf(std::size_t begin, std::size_t end) const { return lines_[Place(begin, end)]; }
  double ErrorOf(std::size_t begin, std::size_t end) const { return errors_[Place(begin, end)]; }

 private:
  std::size_t Place(std::size_t begin, std::size_t end) const { return begin * (size_ + 1) + end; }

  std::size_t size_;
  std::vector<Line> lines_;
  std::vector<double> errors_;
};

}  // namespace

Line FitLine(const LinePoints& points, std::size_t begin, std::size_t end) {
  if (begin >= end || end > points.size()) throw std::invalid_argument("a line needs points");
  // 1 = intercept · (1/y) + slope · (x/y), by its normal equations.
  double aa = 0;
  double ab = 0;
  double bb = 0;
  double a1 = 0;
  double b1 = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const double weight = WeightOf(points, i);
    const double a = 1 / points.y[i];
    const double b = points.x[i] / points.y[i];
    aa += weight * a * a;
    ab += weight * a * b;
    bb += weight * b * b;
    a1 += weight * a;
    b1 += weight * b;
  }
  const double determinant = aa * bb - ab * ab;
  const Line flat{.intercept = a1 / aa, .slope = 0};
  // Points that all have the same x say nothing of a slope.
  if (determinant <= 1e-12 * aa * bb) return flat;
  const Line line{.intercept = (a1 * bb - b1 * ab) / determinant, .slope = (b1 * aa - a1 * ab) / determinant};
  if (line.slope < 0) return flat;
  if (line.intercept < 0) return {.intercept = 0, .slope = b1 / bb};
  return line;
}

std::vector<LinePiece> FitPieces(const LinePoints& points, std::size_t most_pieces,
                                 std::size_t points_per_piece) {
  const std::size_t size = points.size();
  if (size < points_per_piece) throw std::invalid_argument("too few points for one piece");
  const PieceTable table(points, points_per_piece);
  std::vector<LinePiece> best;
  double best_score = PieceTable::kNone;
  // least[end]: the least error of the points up to `end` with so many pieces; from[end]: where its last
  // begins.
  std::vector<double> least(size + 1, PieceTable::kNone);
  least[0] = 0;
  std::vector<std::vector<std::size_t>> from;
  for (std::size_t pieces = 1; pieces <= most_pieces && pieces * points_per_piece <= size; ++pieces) {
    std::vector<double> next(size + 1, PieceTable::kNone);
    from.emplace_back(size + 1, 0);
    for (std::size_t end = points_per_piece; end <= size; ++end) {
      for (std::size_t begin = 0; begin + points_per_piece <= end; ++begin) {
        const double error = least[begin] + table.ErrorOf(begin, end);
        if (error >= next[end]) continue;
        next[end] = error;
        from.back()[end] = begin;
      }
    }
    least = std::move(next);
    const double parameters = 3.0 * static_cast<double>(pieces) - 1;  // two for each line, one for each bend
    const double score = least[size] + parameters * std::log(static_cast<double>(size));
    if (score >= best_score) continue;
    best_score = score;
    best.clear();
    std::size_t end = size;
    for (std::size_t piece = pieces; piece-- > 0;) {
      const std::size_t begin = from[piece][end];
      best.insert(best.begin(), {.begin = begin, .end = end, .line = table.LineOf(begin, end)});
      end = begin;
    }
  }
  return best;
}

}  // namespace stallscope
