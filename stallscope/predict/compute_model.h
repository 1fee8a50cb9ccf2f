#pragma once

#include <Eigen/Dense>
#include <memory>
#include <string>
#include <vector>

#include "stallscope/predict/rate_points.h"

namespace stallscope {

/// What a compute time was derived from, best first.
enum class ComputeBasis {
  kYours,      ///< measured by the user on this GPU
  kPublished,  ///< rates of this network on this GPU, in this precision
  kOtherGpu,   ///< rates of this network elsewhere: another GPU, precision or sequence length
  kTable,      ///< the layer table alone, on what other networks reach
};
/// "measured on this GPU", "same GPU and network", "other GPU", "table".
const char* BasisName(ComputeBasis basis);

struct ComputeEstimate {
  double seconds = 0;  ///< of one training step on one GPU, optimiser included
  double low = 0;      ///< 95 %
  double high = 0;
  double log_sd = 0;  ///< standard deviation of the logarithm, from which low and high come
  ComputeBasis basis = ComputeBasis::kTable;
  std::string from;  ///< one clause: which rates, of whom
};

/// Compute times of one GPU: the roofline over the network's table, corrected by what published rates with
/// the same stack, network, GPU, generation or source lie from it. The correction is the best linear unbiased
/// prediction (kriging), so what two steps share cancels: a rate on one GPU becomes a rate on another by the
/// ratio of their rooflines.
class ComputeModel {
 public:
  ComputeModel(ComputeParameters parameters, const RateTable& rates, const GpuLookup& gpus);

  ComputeEstimate Estimate(const Network& network, const Workload& workload, const GpuSpeed& gpu) const;
  /// Shares of the step's compute time by layer of the table; they sum to one less the optimiser's share.
  std::vector<double> LayerShares(const Network& network, const Workload& workload,
                                  const GpuSpeed& gpu) const;

  const ComputeParameters& parameters() const { return parameters_; }

 private:
  std::string Origin(const StepTraits& step, ComputeBasis basis) const;

  ComputeParameters parameters_;
  RatePoints points_;
  std::vector<std::string> sources_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  Eigen::VectorXd weighted_residuals_;    ///< inverse covariance times the residuals
  Eigen::MatrixXd weighted_jacobian_;     ///< inverse covariance times the Jacobian
  Eigen::MatrixXd parameter_covariance_;  ///< of the roofline's numbers
};

/// Maximum a posteriori: the roofline's numbers by Gauss-Newton, weighted by the covariance of the residuals;
/// the spreads by Fisher scoring on the residuals' likelihood; in turn until both stand.
ComputeParameters FitComputeParameters(const RateTable& rates, const GpuLookup& gpus);

}  // namespace stallscope
