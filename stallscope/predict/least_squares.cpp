#include "stallscope/predict/least_squares.h"

#include <algorithm>
#include <cmath>

namespace stallscope {
namespace {

constexpr int kMostIterations = 60;
constexpr double kDifferenceStep = 1e-3;
constexpr double kEnough = 1e-6;  ///< relative gain of an iteration below which it is the last

/// A symmetric positive definite matrix, decomposed in place by Cholesky.
class NormalMatrix {
 public:
  explicit NormalMatrix(std::size_t size) : size_(size), values_(size * size) {}

  double& At(std::size_t row, std::size_t column) { return values_[row * size_ + column]; }
  double At(std::size_t row, std::size_t column) const { return values_[row * size_ + column]; }

  /// False where it is not positive definite.
  bool Decompose() {
    for (std::size_t j = 0; j < size_; ++j) {
      for (std::size_t i = j; i < size_; ++i) {
        double sum = At(i, j);
        for (std::size_t k = 0; k < j; ++k) sum -= At(i, k) * At(j, k);
        if (i == j) {
          if (!(sum > 0)) return false;
          At(j, j) = std::sqrt(sum);
        } else {
          At(i, j) = sum / At(j, j);
        }
      }
    }
    return true;
  }

  std::vector<double> Solve(std::vector<double> right) const {
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t k = 0; k < i; ++k) right[i] -= At(i, k) * right[k];
      right[i] /= At(i, i);
    }
    for (std::size_t i = size_; i-- > 0;) {
      for (std::size_t k = i + 1; k < size_; ++k) right[i] -= At(k, i) * right[k];
      right[i] /= At(i, i);
    }
    return right;
  }

 private:
  std::size_t size_;
  std::vector<double> values_;
};

double HalfSquares(std::span<const double> residuals) {
  double sum = 0;
  for (double residual : residuals) sum += residual * residual;
  return sum / 2;
}

class Search {
 public:
  Search(const Residuals& residuals, std::size_t count, std::vector<double> start,
         std::span<const double> scales)
      : residuals_(residuals),
        at_(std::move(start)),
        scales_(scales),
        here_(count),
        moved_(count),
        slopes_(at_.size(), std::vector<double>(count)),
        normal_(at_.size()),
        gradient_(at_.size()) {
    residuals_(at_, here_);
    cost_ = HalfSquares(here_);
  }

  LeastSquaresResult Run() {
    LeastSquaresResult result;
    double damping = 1e-3;
    for (; result.iterations < kMostIterations && !result.converged; ++result.iterations) {
      Linearize();
      const double before = cost_;
      bool better = false;
      for (int attempt = 0; attempt < 12 && !better; ++attempt) {
        better = Try(damping);
        damping = better ? std::max(damping / 5, 1e-9) : damping * 4;
      }
      result.converged = !better || before - cost_ <= kEnough * before;
    }
    Linearize();
    result.standard_errors = StandardErrors();
    result.parameters = at_;
    result.cost = cost_;
    return result;
  }

 private:
  void Linearize() {
    std::vector<double> parameters = at_;
    for (std::size_t p = 0; p < at_.size(); ++p) {
      const double step = kDifferenceStep * scales_[p];
      parameters[p] = at_[p] + step;
      residuals_(parameters, moved_);
      parameters[p] = at_[p];
      for (std::size_t r = 0; r < here_.size(); ++r) slopes_[p][r] = (moved_[r] - here_[r]) / step;
    }
    for (std::size_t p = 0; p < at_.size(); ++p) {
      gradient_[p] = 0;
      for (std::size_t r = 0; r < here_.size(); ++r) gradient_[p] -= slopes_[p][r] * here_[r];
      for (std::size_t q = 0; q <= p; ++q) {
        double sum = 0;
        for (std::size_t r = 0; r < here_.size(); ++r) sum += slopes_[p][r] * slopes_[q][r];
        normal_.At(p, q) = normal_.At(q, p) = sum;
      }
    }
  }

  bool Try(double damping) {
    NormalMatrix damped = normal_;
    for (std::size_t p = 0; p < at_.size(); ++p) damped.At(p, p) *= 1 + damping;
    if (!damped.Decompose()) return false;
    const std::vector<double> step = damped.Solve(gradient_);
    std::vector<double> next = at_;
    for (std::size_t p = 0; p < at_.size(); ++p) next[p] += step[p];
    residuals_(next, moved_);
    const double cost = HalfSquares(moved_);
    if (!(cost < cost_)) return false;
    at_ = std::move(next);
    std::swap(here_, moved_);
    cost_ = cost;
    return true;
  }

  std::vector<double> StandardErrors() const {
    std::vector<double> errors(at_.size());
    NormalMatrix matrix = normal_;
    if (!matrix.Decompose()) return errors;
    for (std::size_t p = 0; p < at_.size(); ++p) {
      std::vector<double> unit(at_.size());
      unit[p] = 1;
      errors[p] = std::sqrt(matrix.Solve(unit)[p]);
    }
    return errors;
  }

  const Residuals& residuals_;
  std::vector<double> at_;
  std::span<const double> scales_;
  std::vector<double> here_;
  std::vector<double> moved_;
  std::vector<std::vector<double>> slopes_;  ///< by parameter
  NormalMatrix normal_;
  std::vector<double> gradient_;
  double cost_ = 0;
};

}  // namespace

LeastSquaresResult MinimizeSquares(const Residuals& residuals, std::size_t residual_count,
                                   std::vector<double> start, std::span<const double> scales) {
  return Search(residuals, residual_count, std::move(start), scales).Run();
}

}  // namespace stallscope
