#include "stallscope/predict/processor_step.h"

#include <algorithm>
#include <numeric>

#include "stallscope/predict/layer_traffic.h"

namespace stallscope {
namespace {

constexpr double kFloatBytes = 4;
/// Layers' traffic is counted for the forward pass and both products of the backward pass.
constexpr double kBackwardShare = 2.0 / 3;
/// Weights are read for the gradient of the input; their own gradient is written.
constexpr double kWeightPasses = 2;
/// Convolutions work on blocks of channels: weights are also reordered before they are read, and their
/// gradient after it was written, each read and written once more.
constexpr double kConvolutionWeightPasses = 6;

}  // namespace

std::vector<double> BackwardShares(const Network& network, double batch, Seconds backward,
                                   BytesPerSecond memory) {
  std::vector<double> seconds;
  double macs = 0;
  for (const Layer& layer : network.layers) {
    const LayerTraffic traffic = TrafficOf(network, layer);
    double elements = kBackwardShare * (traffic.products + traffic.others) * batch;
    const bool blocked = layer.kind == LayerKind::kConv2d && layer.groups == 1;
    for (const GradientTensor& tensor : layer.parameters) {
      elements +=
          (blocked ? kConvolutionWeightPasses : kWeightPasses) * static_cast<double>(tensor.elements());
    }
    seconds.push_back(elements * kFloatBytes / memory.value);
    macs += static_cast<double>(layer.forward_macs);
  }
  const double moving = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  const double left = std::max(0.0, backward.count() - moving);
  if (macs > 0) {
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      seconds[i] += left * static_cast<double>(network.layers[i].forward_macs) / macs;
    }
  }
  const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  if (all > 0) {
    for (double& share : seconds) share /= all;
  }
  return seconds;
}

}  // namespace stallscope
