#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "stallscope/network/network.h"
#include "stallscope/predict/workload.h"

namespace stallscope {

/// The numbers of the roofline, all fitted (docs/models.md).
enum class RooflineTerm : std::size_t {
  kConvFp32,  ///< share of the peak that convolutions reach
  kConvTf32,
  kConvAmp,
  kLinearFp32,  ///< share of the peak that linear layers reach
  kLinearTf32,
  kLinearAmp,
  kAttention,  ///< products of attention, as a share of what linear layers reach
  kGrouped,    ///< grouped and depthwise convolutions: share of the fp32 peak, no tensor cores
  kMemory,     ///< share of the memory bandwidth, for the traffic as counted
  kLaunch,     ///< seconds per kernel
  kFill,       ///< operations that a layer's products lose until the GPU is full
  kTranspose,  ///< a convolution's traffic again, this many times, where channels are not last
  kUnfused,    ///< correction to the counted traffic of chains of small kernels
  kCompiled,   ///< share of the traffic between products that remains after fusion
  kGeforce,    ///< tensor rate of GeForce cards over the halved rate
  kCount,
};
constexpr std::size_t kRooflineTerms = static_cast<std::size_t>(RooflineTerm::kCount);
const char* RooflineTermName(RooflineTerm term);

/// Logarithms of the numbers, so that a fit keeps them positive.
using RooflineLogs = std::array<double, kRooflineTerms>;

struct RooflinePrior {
  double mean = 1;
  double log_sd = 1;
};
/// What a number is before any rate was seen: where a table has no rate that shows it, this is what remains.
RooflinePrior PriorOf(RooflineTerm term);
RooflineLogs PriorLogs();

/// A layer's step (forward and backward) in units of the GPU's peak rates.
struct LayerDemand {
  std::size_t layer = 0;       ///< in the network's table
  std::size_t efficiency = 0;  ///< the RooflineTerm that divides `products_s`
  bool attention = false;      ///< kAttention divides as well
  bool on_tensor_cores = false;
  double products_s = 0;            ///< multiply-adds at peak rate
  double fill_s_per_operation = 0;  ///< 1 / fp32 rate where the layer has products
  double product_traffic_s = 0;     ///< operands of products at full bandwidth
  double transposed_s = 0;          ///< the part that is transposed first
  double other_traffic_s = 0;       ///< norms, activations, sums
  double kernels = 0;
};

/// A network's step on a GPU before any efficiency.
struct StepDemand {
  std::vector<LayerDemand> layers;
  double optimizer_traffic_s = 0;
  Fusion fusion =
      Fusion::kKernels;  ///< kUnfused only where the network has chains that a stack leaves unfused
  bool halved_tensor = false;
};

StepDemand DemandOf(const Network& network, const Workload& workload, const GpuSpeed& gpu);

/// Seconds of the whole step:
///   sum over layers of products / efficiency + fill + traffic / kMemory + kernels * kLaunch, + optimiser
///   traffic.
double RooflineSeconds(const StepDemand& demand, const RooflineLogs& logs);
/// The same layer by layer, in the table's order; the optimiser is not among them.
std::vector<double> LayerSeconds(const StepDemand& demand, const RooflineLogs& logs);

/// Networks with attention behave alike, and so do the others.
bool HasAttention(const Network& network);

}  // namespace stallscope
