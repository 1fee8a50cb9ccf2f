#pragma once

#include <Eigen/Dense>
#include <functional>
#include <string>
#include <vector>

#include "stallscope/predict/compute_parameters.h"
#include "stallscope/predict/rate_table.h"

namespace stallscope {

/// A step as the covariance sees it.
struct StepTraits {
  std::string network;
  int sequence_length = 0;
  bool attention = false;
  Dtype dtype = Dtype::kFp32;
  std::string chip;
  std::string architecture;
  SoftwareStack stack;
  std::string source;  ///< empty: shared with nobody
};

StepTraits TraitsOf(const Network& network, const Workload& workload, const GpuSpeed& gpu);

/// Covariance of two steps' residuals, one value per spread at size one, noise left out.
std::array<double, kSpreads> SharedTraits(const StepTraits& one, const StepTraits& other);
double Covariance(const StepTraits& one, const StepTraits& other, const Spreads& spreads);

using GpuLookup = std::function<GpuSpeed(const std::string& name)>;

/// Published rates, ready for fits: what each step demands, what it shares with others, how long it took.
struct RatePoints {
  std::vector<StepTraits> traits;
  std::vector<StepDemand> demands;
  Eigen::VectorXd log_seconds;

  RatePoints(const RateTable& table, const GpuLookup& gpus);
  Eigen::Index size() const { return log_seconds.size(); }
};

/// Logarithms of RooflineSeconds for every point.
Eigen::VectorXd RooflineLogSeconds(const RatePoints& points, const RooflineLogs& logs);
/// Their derivatives by the roofline's numbers, one column each.
Eigen::MatrixXd RooflineJacobian(const std::vector<StepDemand>& demands, const RooflineLogs& logs);
Eigen::MatrixXd CovarianceMatrix(const RatePoints& points, const Spreads& spreads);

}  // namespace stallscope
