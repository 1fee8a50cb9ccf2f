#include <cmath>

#include "stallscope/predict/compute_model.h"

namespace stallscope {
namespace {

constexpr int kRounds = 4;
constexpr int kRooflineSteps = 30;
constexpr int kSpreadSteps = 12;
/// Spreads start from, and lean towards, this prior; it is as wide as a factor of e^(+-1) for 95 %.
constexpr double kSpreadPrior = 0.08;
constexpr double kSpreadLogSd = 0.5;
constexpr double kStill = 1e-6;

Eigen::VectorXd PriorMeans() {
  const RooflineLogs logs = PriorLogs();
  return Eigen::Map<const Eigen::VectorXd>(logs.data(), static_cast<Eigen::Index>(logs.size()));
}

Eigen::VectorXd PriorPrecisions() {
  Eigen::VectorXd precisions(static_cast<Eigen::Index>(kRooflineTerms));
  for (std::size_t term = 0; term < kRooflineTerms; ++term) {
    const double sd = PriorOf(static_cast<RooflineTerm>(term)).log_sd;
    precisions[static_cast<Eigen::Index>(term)] = 1 / (sd * sd);
  }
  return precisions;
}

RooflineLogs ToLogs(const Eigen::VectorXd& values) {
  RooflineLogs logs{};
  Eigen::Map<Eigen::VectorXd>(logs.data(), values.size()) = values;
  return logs;
}

/// Gauss-Newton with halved steps on  residuals' covariance^-1 residuals + prior.
class RooflineFit {
 public:
  RooflineFit(const RatePoints& points, const Spreads& spreads)
      : points_(points), factor_(CovarianceMatrix(points, spreads)) {}

  Eigen::VectorXd Run(Eigen::VectorXd values) const {
    double cost = Cost(values);
    for (int step = 0; step < kRooflineSteps; ++step) {
      const Eigen::VectorXd move = Move(values);
      double length = 1;
      double next = Cost(values + move);
      while (!(next < cost) && length > kStill) {
        length /= 2;
        next = Cost(values + length * move);
      }
      if (!(next < cost)) break;
      values += length * move;
      const bool still = cost - next < kStill * cost;
      cost = next;
      if (still) break;
    }
    return values;
  }

  RooflineLogs Errors(const Eigen::VectorXd& values) const {
    const Eigen::MatrixXd jacobian = RooflineJacobian(points_.demands, ToLogs(values));
    return ToLogs(Information(jacobian).inverse().diagonal().cwiseSqrt());
  }

 private:
  Eigen::VectorXd Residuals(const Eigen::VectorXd& values) const {
    return points_.log_seconds - RooflineLogSeconds(points_, ToLogs(values));
  }
  double Cost(const Eigen::VectorXd& values) const {
    const Eigen::VectorXd whitened = factor_.matrixL().solve(Residuals(values));
    return whitened.squaredNorm() + (values - PriorMeans()).cwiseAbs2().dot(PriorPrecisions());
  }
  Eigen::MatrixXd Information(const Eigen::MatrixXd& jacobian) const {
    Eigen::MatrixXd information = jacobian.transpose() * factor_.solve(jacobian);
    information.diagonal() += PriorPrecisions();
    return information;
  }
  Eigen::VectorXd Move(const Eigen::VectorXd& values) const {
    const Eigen::MatrixXd jacobian = RooflineJacobian(points_.demands, ToLogs(values));
    const Eigen::VectorXd gradient = jacobian.transpose() * factor_.solve(Residuals(values)) -
                                     (values - PriorMeans()).cwiseProduct(PriorPrecisions());
    return Information(jacobian).ldlt().solve(gradient);
  }

  const RatePoints& points_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

/// One matrix per spread: what the points share, at a spread of one.
std::vector<Eigen::MatrixXd> SharedMatrices(const RatePoints& points) {
  std::vector<Eigen::MatrixXd> shared;
  for (std::size_t i = 0; i < kSpreads; ++i) {
    Spreads one{};
    one[i] = 1;
    shared.push_back(CovarianceMatrix(points, one));
  }
  return shared;
}

/// Newton on the logarithms of the spreads with the average information matrix, half the sum of observed and
/// expected: it needs products with vectors only (Gilmour, Thompson, Cullis 1995).
Spreads FitSpreads(const std::vector<Eigen::MatrixXd>& shared, const Eigen::VectorXd& residuals,
                   Spreads spreads) {
  constexpr double kLongest = 0.7;
  const auto count = static_cast<Eigen::Index>(kSpreads);
  for (int step = 0; step < kSpreadSteps; ++step) {
    Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(residuals.size(), residuals.size());
    for (std::size_t i = 0; i < kSpreads; ++i) covariance += spreads[i] * spreads[i] * shared[i];
    const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
    const Eigen::MatrixXd inverse =
        factor.solve(Eigen::MatrixXd::Identity(residuals.size(), residuals.size()));
    const Eigen::VectorXd weighted = inverse * residuals;
    Eigen::MatrixXd directions(residuals.size(), count);
    Eigen::VectorXd gradient(count);
    for (Eigen::Index i = 0; i < count; ++i) {
      const double scale = 2 * spreads[static_cast<std::size_t>(i)] * spreads[static_cast<std::size_t>(i)];
      const Eigen::MatrixXd& matrix = shared[static_cast<std::size_t>(i)];
      directions.col(i) = scale * (matrix * weighted);
      const double prior =
          std::log(spreads[static_cast<std::size_t>(i)] / kSpreadPrior) / (kSpreadLogSd * kSpreadLogSd);
      gradient[i] =
          0.5 * (weighted.dot(directions.col(i)) - scale * inverse.cwiseProduct(matrix).sum()) - prior;
    }
    Eigen::MatrixXd information = 0.5 * directions.transpose() * inverse * directions;
    information.diagonal().array() += 1 / (kSpreadLogSd * kSpreadLogSd);
    const Eigen::VectorXd move = information.ldlt().solve(gradient).cwiseMax(-kLongest).cwiseMin(kLongest);
    for (Eigen::Index i = 0; i < count; ++i) spreads[static_cast<std::size_t>(i)] *= std::exp(move[i]);
    if (move.cwiseAbs().maxCoeff() < 1e-3) break;
  }
  return spreads;
}

}  // namespace

Spreads UnfittedSpreads() {
  Spreads spreads{};
  spreads.fill(kSpreadPrior);
  return spreads;
}

ComputeParameters FitComputeParameters(const RateTable& rates, const GpuLookup& gpus) {
  const RatePoints points(rates, gpus);
  ComputeParameters parameters;
  parameters.spreads = UnfittedSpreads();
  Eigen::VectorXd values = PriorMeans();
  if (points.size() > 0) {
    const std::vector<Eigen::MatrixXd> shared = SharedMatrices(points);
    for (int round = 0; round < kRounds; ++round) {
      values = RooflineFit(points, parameters.spreads).Run(values);
      const Eigen::VectorXd residuals = points.log_seconds - RooflineLogSeconds(points, ToLogs(values));
      parameters.spreads = FitSpreads(shared, residuals, parameters.spreads);
    }
    const RooflineFit last(points, parameters.spreads);
    values = last.Run(values);
    parameters.log_errors = last.Errors(values);
  }
  parameters.logs = ToLogs(values);
  return parameters;
}

}  // namespace stallscope
