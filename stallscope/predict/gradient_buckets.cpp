#include "stallscope/predict/gradient_buckets.h"

#include <algorithm>

namespace stallscope {
namespace {

struct ReadyTensor {
  double elements;
  double ready;  ///< share of the backward pass
};

/// By index into GradientTensors.
std::vector<ReadyTensor> ReadyTensors(const Network& network) {
  const double all_macs = std::max(1.0, static_cast<double>(Totals(network).forward_macs));
  std::vector<ReadyTensor> tensors;
  double macs_before = 0;
  for (const Layer& layer : network.layers) {
    // The backward pass runs from the end: when it is through with this layer, only those before are left.
    for (const GradientTensor& tensor : layer.parameters) {
      tensors.push_back({static_cast<double>(tensor.elements()), 1 - macs_before / all_macs});
    }
    macs_before += static_cast<double>(layer.forward_macs);
  }
  return tensors;
}

}  // namespace

std::vector<cost::GradientBucket> BucketsOf(const Network& network, double bytes_per_element, Bytes cap) {
  const std::vector<ReadyTensor> tensors = ReadyTensors(network);
  std::vector<cost::GradientBucket> buckets;
  double bytes = 0;
  double ready = 0;
  for (std::size_t index : ReadinessOrder(network)) {
    bytes += tensors[index].elements * bytes_per_element;
    ready = std::max(ready, tensors[index].ready);
    if (bytes < cap.value) continue;
    buckets.push_back({ready, {bytes}});
    bytes = 0;
  }
  if (bytes > 0) buckets.push_back({ready, {bytes}});
  return buckets;
}

}  // namespace stallscope
