#include "stallscope/law/fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <set>

#include "stallscope/predict/least_squares.h"
#include "stallscope/stats/bootstrap.h"
#include "stallscope/stats/mean.h"
#include "stallscope/stats/quantiles.h"
#include "stallscope/stats/random.h"

namespace stallscope {
namespace {

/// What the law's form leaves open of a step, beside what measuring does: points that were measured better
/// than this weigh no more.
constexpr double kModelSpread = 0.02;
/// A prior is so many times as wide as the size in which its coefficient varies.
constexpr double kPriorWidth = 10;

double StepSeconds(const FitPoint& point) {
  return point.measured.step_s.mean;
}

double SpreadOf(const FitPoint& point) {
  const double measured = point.measured.stall_s.HalfWidth() / kNormal95 / StepSeconds(point);
  return std::hypot(kModelSpread, measured);
}

ExchangeLaw LawOf(std::span<const double> parameters) {
  ExchangeLaw law;
  for (std::size_t i = 0; i < kLawCoefficients; ++i) {
    const LawCoefficient& coefficient = LawCoefficients()[i];
    law.*coefficient.value = std::max(coefficient.least, parameters[i]);
  }
  return law;
}

}  // namespace

ExchangeLaw FitLaw(std::span<const FitPoint* const> points, const ExchangeLaw& start) {
  const auto& coefficients = LawCoefficients();
  const ExchangeLaw prior;
  std::vector<double> first;
  std::vector<double> scales;
  for (const LawCoefficient& coefficient : coefficients) {
    first.push_back(start.*coefficient.value);
    scales.push_back(coefficient.scale);
  }
  const Residuals residuals = [&](std::span<const double> parameters, std::span<double> out) {
    const ExchangeLaw law = LawOf(parameters);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const FitPoint& point = *points[i];
      const double error = StallUnder(law, point.step).count() - point.measured.stall_s.mean;
      out[i] = error / StepSeconds(point) / SpreadOf(point);
    }
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      out[points.size() + i] =
          (parameters[i] - prior.*coefficients[i].value) / (kPriorWidth * coefficients[i].scale);
    }
  };
  return LawOf(MinimizeSquares(residuals, points.size() + coefficients.size(), first, scales).parameters);
}

std::vector<const FitPoint*> AllPoints(const FitData& data) {
  return PointsWithout(data, data.networks.size());
}

std::vector<const FitPoint*> PointsWithout(const FitData& data, std::size_t network) {
  std::vector<const FitPoint*> points;
  for (const FitPoint& point : data.points) {
    if (point.network != network) points.push_back(&point);
  }
  return points;
}

std::vector<LawValue> CoefficientsOf(const FitData& data, const ExchangeLaw& law, std::uint64_t seed,
                                     int resamples) {
  std::vector<std::vector<const FitPoint*>> of_network(data.networks.size());
  for (const FitPoint& point : data.points) of_network[point.network].push_back(&point);
  std::erase_if(of_network, [](const auto& points) { return points.empty(); });
  std::vector<std::vector<double>> resampled(kLawCoefficients);
  Random random(seed);
  for (int i = 0; i < resamples && of_network.size() >= 2; ++i) {
    std::vector<const FitPoint*> drawn;
    for (std::size_t k = 0; k < of_network.size(); ++k) {
      const auto& points = of_network[random.Below(of_network.size())];
      drawn.insert(drawn.end(), points.begin(), points.end());
    }
    const ExchangeLaw again = FitLaw(drawn, law);
    for (std::size_t c = 0; c < kLawCoefficients; ++c)
      resampled[c].push_back(again.*LawCoefficients()[c].value);
  }
  std::vector<LawValue> values;
  for (std::size_t c = 0; c < kLawCoefficients; ++c) {
    const LawCoefficient& coefficient = LawCoefficients()[c];
    const double value = law.*coefficient.value;
    Estimate estimate{value, value, value};
    if (!resampled[c].empty()) {
      const Bootstrap bootstrap(of_network.size(), seed, static_cast<std::size_t>(resamples));
      estimate = bootstrap.Of(value, resampled[c]);
      estimate.low = std::max(estimate.low, coefficient.least);
    }
    values.push_back({coefficient.name, coefficient.unit, coefficient.meaning, estimate});
  }
  return values;
}

LawJudgement JudgementOf(const ExchangeLaw& law, const FitPoint& point) {
  const double stall = StallUnder(law, point.step).count();
  return {stall, (stall - point.measured.stall_s.mean) / StepSeconds(point)};
}

std::optional<MacroscopicForm> FitMacroscopic(const FitData& data, std::span<const FitPoint* const> points) {
  constexpr int kTerms = 3;
  const auto n = static_cast<Eigen::Index>(points.size());
  if (n <= kTerms) return std::nullopt;
  Eigen::MatrixXd terms(n, kTerms);
  Eigen::VectorXd stalls(n);
  // Bytes in units of a megabyte, so that all columns are of one size.
  constexpr double kUnit = 1e6;
  for (Eigen::Index i = 0; i < n; ++i) {
    const FitPoint& point = *points[static_cast<std::size_t>(i)];
    const LawNetwork& network = data.networks[point.network];
    const double weight = 1 / (StepSeconds(point) * SpreadOf(point));
    terms.row(i) << weight, weight * static_cast<double>(network.layers),
        weight * static_cast<double>(network.gradient_bytes) / kUnit;
    stalls(i) = weight * point.measured.stall_s.mean;
  }
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decomposed(terms);
  if (decomposed.rank() < kTerms) return std::nullopt;
  const Eigen::VectorXd fitted = decomposed.solve(stalls);
  const auto freedom = static_cast<std::size_t>(n - kTerms);
  const double variance = (stalls - terms * fitted).squaredNorm() / static_cast<double>(freedom);
  const Eigen::MatrixXd covariance = variance * (terms.transpose() * terms).inverse();
  const auto estimate = [&](Eigen::Index i, double unit) {
    const double half = StudentT975(freedom) * std::sqrt(covariance(i, i)) / unit;
    const double mean = fitted(i) / unit;
    return Estimate{mean, mean - half, mean + half};
  };
  return MacroscopicForm{.place = points.front()->place,
                         .points = static_cast<int>(n),
                         .base_s = estimate(0, 1),
                         .per_layer_s = estimate(1, 1),
                         .per_byte_s = estimate(2, kUnit)};
}

double MacroscopicStall(const MacroscopicForm& form, const LawNetwork& network) {
  return form.base_s.mean + form.per_layer_s.mean * static_cast<double>(network.layers) +
         form.per_byte_s.mean * static_cast<double>(network.gradient_bytes);
}

std::optional<LawErrors> ErrorsOf(const std::vector<PointError>& errors) {
  if (errors.empty()) return std::nullopt;
  std::vector<double> sizes;
  std::vector<double> signed_errors;
  std::set<std::size_t> networks;
  LawErrors summary;
  for (const PointError& error : errors) {
    sizes.push_back(std::abs(error.error));
    signed_errors.push_back(error.error);
    networks.insert(error.network);
    if (!summary.worst_point || sizes.back() > summary.worst) {
      summary.worst = sizes.back();
      summary.worst_point = error.point;
    }
  }
  std::sort(sizes.begin(), sizes.end());
  const auto rank90 = static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(sizes.size()))) - 1;
  summary.points = static_cast<int>(errors.size());
  summary.networks = static_cast<int>(networks.size());
  summary.percentile90 = sizes[rank90];
  summary.median = MedianOf(sizes);
  summary.bias = MeanOf(signed_errors);
  return summary;
}

}  // namespace stallscope
