#include "stallscope/predict/compute_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "stallscope/base/error.h"
#include "stallscope/stats/quantiles.h"

namespace stallscope {
namespace {

/// At most this many sources are named.
constexpr std::size_t kSourcesNamed = 3;

bool SameNetwork(const StepTraits& one, const StepTraits& other) {
  return one.network == other.network && one.sequence_length == other.sequence_length;
}

bool SameStep(const StepTraits& one, const StepTraits& other) {
  return SameNetwork(one, other) && one.chip == other.chip && one.dtype == other.dtype;
}

double Squares(const Spreads& spreads) {
  double sum = 0;
  for (const double spread : spreads) sum += spread * spread;
  return sum;
}

std::string Joined(const std::set<std::string>& names) {
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (++count > kSourcesNamed) return text + fmt::format(" and {} more", names.size() - kSourcesNamed);
    text += (count == 1 ? "" : ", ") + name;
  }
  return text;
}

}  // namespace

const char* BasisName(ComputeBasis basis) {
  switch (basis) {
    case ComputeBasis::kYours:
      return "measured on this GPU";
    case ComputeBasis::kPublished:
      return "same GPU and network";
    case ComputeBasis::kOtherGpu:
      return "other GPU";
    case ComputeBasis::kTable:
      break;
  }
  return "table";
}

ComputeModel::ComputeModel(ComputeParameters parameters, const RateTable& rates, const GpuLookup& gpus)
    : parameters_(std::move(parameters)), points_(rates, gpus) {
  for (const PublishedRate& rate : rates.rates()) sources_.push_back(rate.source);
  factor_.compute(CovarianceMatrix(points_, parameters_.spreads));
  const Eigen::MatrixXd jacobian = RooflineJacobian(points_.demands, parameters_.logs);
  weighted_residuals_ = factor_.solve(points_.log_seconds - RooflineLogSeconds(points_, parameters_.logs));
  weighted_jacobian_ = factor_.solve(jacobian);
  Eigen::MatrixXd information = jacobian.transpose() * weighted_jacobian_;
  for (std::size_t term = 0; term < kRooflineTerms; ++term) {
    const double prior = PriorOf(static_cast<RooflineTerm>(term)).log_sd;
    information(static_cast<Eigen::Index>(term), static_cast<Eigen::Index>(term)) += 1 / (prior * prior);
  }
  parameter_covariance_ = information.inverse();
}

ComputeEstimate ComputeModel::Estimate(const Network& network, const Workload& workload,
                                       const GpuSpeed& gpu) const {
  const StepTraits step = TraitsOf(network, workload, gpu);
  const StepDemand demand = DemandOf(network, workload, gpu);
  Eigen::VectorXd shared(points_.size());
  ComputeEstimate estimate;
  for (Eigen::Index i = 0; i < points_.size(); ++i) {
    const StepTraits& point = points_.traits[static_cast<std::size_t>(i)];
    shared[i] = Covariance(step, point, parameters_.spreads);
    if (SameStep(step, point)) {
      estimate.basis = ComputeBasis::kPublished;
    } else if (step.network == point.network && estimate.basis == ComputeBasis::kTable) {
      estimate.basis = ComputeBasis::kOtherGpu;
    }
  }
  const double log_seconds =
      std::log(RooflineSeconds(demand, parameters_.logs)) + shared.dot(weighted_residuals_);
  // What the residuals leave open, and what the roofline's numbers leave open beyond them.
  const Eigen::VectorXd explained = factor_.matrixL().solve(shared);
  const Eigen::RowVectorXd slope =
      RooflineJacobian({demand}, parameters_.logs).row(0) - shared.transpose() * weighted_jacobian_;
  const double variance = Squares(parameters_.spreads) - explained.squaredNorm() +
                          slope * parameter_covariance_ * slope.transpose();
  estimate.log_sd = std::sqrt(variance);
  estimate.seconds = std::exp(log_seconds);
  estimate.low = std::exp(log_seconds - kNormal95 * estimate.log_sd);
  estimate.high = std::exp(log_seconds + kNormal95 * estimate.log_sd);
  estimate.from = Origin(step, estimate.basis);
  return estimate;
}

std::vector<double> ComputeModel::LayerShares(const Network& network, const Workload& workload,
                                              const GpuSpeed& gpu) const {
  const StepDemand demand = DemandOf(network, workload, gpu);
  const double total = RooflineSeconds(demand, parameters_.logs);
  std::vector<double> shares = LayerSeconds(demand, parameters_.logs);
  for (double& share : shares) share /= total;
  return shares;
}

std::string ComputeModel::Origin(const StepTraits& step, ComputeBasis basis) const {
  if (basis == ComputeBasis::kTable) {
    return fmt::format(
        "no rate of {} is published: its layer table, on what {} rates of other networks reach", step.network,
        points_.size());
  }
  std::set<std::string> sources;
  std::set<std::string> chips;
  int rates = 0;
  for (std::size_t i = 0; i < points_.traits.size(); ++i) {
    const StepTraits& point = points_.traits[i];
    if (basis == ComputeBasis::kPublished ? !SameStep(step, point) : step.network != point.network) continue;
    sources.insert(sources_[i]);
    chips.insert(point.chip);
    ++rates;
  }
  const std::string what =
      fmt::format("{} published rate{} of {}", rates, rates == 1 ? "" : "s", step.network);
  if (basis == ComputeBasis::kPublished) {
    return fmt::format("{} on {} in {} ({})", what, step.chip, DtypeName(step.dtype), Joined(sources));
  }
  return fmt::format("{} on {} ({}), scaled by the roofline", what, Joined(chips), Joined(sources));
}

}  // namespace stallscope
