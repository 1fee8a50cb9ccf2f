#include "stallscope/predict/rate_points.h"

#include <cmath>
#include <cstdlib>
#include <map>

namespace stallscope {
namespace {

/// A trait that two steps share in another precision, or with the other kind of network, counts half.
constexpr double kHalf = 0.5;
/// Years in which a stack's rate forgets its past (e-fold), and the distance where a year is not known.
constexpr double kStackYears = 4;
constexpr double kUnknownYears = 3;

double TimeKinship(const SoftwareStack& one, const SoftwareStack& other) {
  const double years =
      one.year && other.year ? std::abs(static_cast<double>(*one.year - *other.year)) : kUnknownYears;
  return std::exp(-years / kStackYears);
}

RooflineLogs Shifted(RooflineLogs logs, std::size_t term, double by) {
  logs[term] += by;
  return logs;
}

}  // namespace

StepTraits TraitsOf(const Network& network, const Workload& workload, const GpuSpeed& gpu) {
  StepTraits traits;
  traits.network = network.name;
  traits.sequence_length =
      network.sample_kind == SampleKind::kTokens ? static_cast<int>(network.sample_shape.front()) : 0;
  traits.attention = HasAttention(network);
  traits.dtype = EffectiveDtype(gpu, workload.dtype);
  traits.chip = gpu.chip;
  traits.architecture = gpu.architecture;
  traits.stack = workload.stack;
  traits.source = workload.source;
  return traits;
}

std::array<double, kSpreads> SharedTraits(const StepTraits& one, const StepTraits& other) {
  const double precision = one.dtype == other.dtype ? 1 : kHalf;
  const double kind = one.attention == other.attention ? 1 : kHalf;
  const bool framework = one.stack.family == other.stack.family;
  const bool stack = framework && one.stack.fusion == other.stack.fusion &&
                     one.stack.channels_last == other.stack.channels_last;
  std::array<double, kSpreads> shared{};
  const auto set = [&](ResidualSpread spread, double value) {
    shared[static_cast<std::size_t>(spread)] = value;
  };
  if (stack) set(ResidualSpread::kStack, precision * kind * TimeKinship(one.stack, other.stack));
  if (framework) set(ResidualSpread::kFramework, kind);
  if (one.network == other.network) set(ResidualSpread::kNetwork, precision);
  if (one.chip == other.chip) set(ResidualSpread::kChip, precision * kind);
  if (one.architecture == other.architecture) set(ResidualSpread::kArchitecture, precision * kind);
  if (!one.source.empty() && one.source == other.source) set(ResidualSpread::kSource, 1);
  return shared;
}

double Covariance(const StepTraits& one, const StepTraits& other, const Spreads& spreads) {
  const std::array<double, kSpreads> shared = SharedTraits(one, other);
  double sum = 0;
  for (std::size_t i = 0; i < kSpreads; ++i) sum += shared[i] * spreads[i] * spreads[i];
  return sum;
}

RatePoints::RatePoints(const RateTable& table, const GpuLookup& gpus)
    : log_seconds(static_cast<Eigen::Index>(table.rates().size())) {
  // Many rates are of one network: its table is built once.
  std::map<std::tuple<std::string, int, int>, Network> networks;
  std::map<std::string, GpuSpeed> speeds;
  Eigen::Index index = 0;
  for (const PublishedRate& rate : table.rates()) {
    const auto key = std::tuple(rate.network, rate.image_size.value_or(0), rate.sequence_length.value_or(0));
    auto network = networks.find(key);
    if (network == networks.end()) {
      const NetworkOptions options{
          .image_size = rate.image_size, .sequence_length = rate.sequence_length, .classes = {}};
      network = networks.emplace(key, BuildNetwork(rate.network, options)).first;
    }
    auto speed = speeds.find(rate.gpu);
    if (speed == speeds.end()) speed = speeds.emplace(rate.gpu, gpus(rate.gpu)).first;
    traits.push_back(TraitsOf(network->second, rate.workload, speed->second));
    demands.push_back(DemandOf(network->second, rate.workload, speed->second));
    log_seconds[index++] = std::log(rate.Seconds());
  }
}

Eigen::VectorXd RooflineLogSeconds(const RatePoints& points, const RooflineLogs& logs) {
  Eigen::VectorXd seconds(points.size());
  for (Eigen::Index i = 0; i < points.size(); ++i) {
    seconds[i] = std::log(RooflineSeconds(points.demands[static_cast<std::size_t>(i)], logs));
  }
  return seconds;
}

Eigen::MatrixXd RooflineJacobian(const std::vector<StepDemand>& demands, const RooflineLogs& logs) {
  constexpr double kStep = 1e-4;
  Eigen::MatrixXd jacobian(static_cast<Eigen::Index>(demands.size()),
                           static_cast<Eigen::Index>(kRooflineTerms));
  for (std::size_t term = 0; term < kRooflineTerms; ++term) {
    const RooflineLogs above = Shifted(logs, term, kStep);
    const RooflineLogs below = Shifted(logs, term, -kStep);
    for (std::size_t i = 0; i < demands.size(); ++i) {
      jacobian(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(term)) =
          std::log(RooflineSeconds(demands[i], above) / RooflineSeconds(demands[i], below)) / (2 * kStep);
    }
  }
  return jacobian;
}

Eigen::MatrixXd CovarianceMatrix(const RatePoints& points, const Spreads& spreads) {
  const double noise = spreads[static_cast<std::size_t>(ResidualSpread::kNoise)];
  Eigen::MatrixXd matrix(points.size(), points.size());
  for (Eigen::Index i = 0; i < points.size(); ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      matrix(i, j) = Covariance(points.traits[static_cast<std::size_t>(i)],
                                points.traits[static_cast<std::size_t>(j)], spreads);
      matrix(j, i) = matrix(i, j);
    }
    matrix(i, i) += noise * noise;
  }
  return matrix;
}

}  // namespace stallscope
