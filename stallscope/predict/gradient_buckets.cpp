#include "stallscope/predict/gradient_buckets.h"

#include <algorithm>

namespace stallscope {
namespace {

struct ReadyTensor {
  double elements;
  double ready;  ///< share of the backward pass
};

/// By index into GradientTensors.
std::vector<ReadyTensor> ReadyTensors(const Network& network, std::span<const double> layer_shares) {
  std::vector<ReadyTensor> tensors;
  double before = 0;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    // The backward pass runs from the end: when it is through with this layer, only those before are left.
    for (const GradientTensor& tensor : network.layers[i].parameters) {
      tensors.push_back({static_cast<double>(tensor.elements()), 1 - before});
    }
    before += layer_shares[i];
  }
  return tensors;
}

std::vector<double> SharesOfProducts(const Network& network) {
  const double all = std::max(1.0, static_cast<double>(Totals(network).forward_macs));
  std::vector<double> shares;
  for (const Layer& layer : network.layers) shares.push_back(static_cast<double>(layer.forward_macs) / all);
  return shares;
}

}  // namespace

std::vector<cost::GradientBucket> BucketsOf(const Network& network, double bytes_per_element, Bytes cap) {
  return BucketsOf(network, bytes_per_element, {cap, cap}, SharesOfProducts(network));
}

std::vector<cost::GradientBucket> BucketsOf(const Network& network, double bytes_per_element,
                                            const BucketSizes& sizes, std::span<const double> layer_shares) {
  const std::vector<ReadyTensor> tensors = ReadyTensors(network, layer_shares);
  std::vector<cost::GradientBucket> buckets;
  double bytes = 0;
  double ready = 0;
  for (std::size_t index : ReadinessOrder(network)) {
    bytes += tensors[index].elements * bytes_per_element;
    ready = std::max(ready, tensors[index].ready);
    if (bytes < (buckets.empty() ? sizes.first : sizes.others).value) continue;
    buckets.push_back({ready, {bytes}});
    bytes = 0;
  }
  if (bytes > 0) buckets.push_back({ready, {bytes}});
  return buckets;
}

}  // namespace stallscope
