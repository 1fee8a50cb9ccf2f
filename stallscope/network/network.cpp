#include "stallscope/network/network.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace stallscope {
namespace {

constexpr std::int64_t kFloatBytes = 4;
constexpr std::int64_t kBfloatBytes = 2;

bool CountsAsLayer(LayerKind kind) {
  return kind == LayerKind::kConv2d || kind == LayerKind::kLinear || kind == LayerKind::kEmbedding ||
         kind == LayerKind::kPositionEmbedding || kind == LayerKind::kTypeEmbedding;
}

std::int64_t Product(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

std::int64_t NamedTensor::elements() const {
  return Product(shape);
}

NetworkTotals Totals(const Network& network) {
  NetworkTotals totals;
  for (const Layer& layer : network.layers) {
    for (const GradientTensor& tensor : layer.parameters) totals.parameters += tensor.elements();
    totals.gradient_tensors += static_cast<std::int64_t>(layer.parameters.size());
    totals.layers += CountsAsLayer(layer.kind) ? 1 : 0;
    totals.forward_macs += layer.forward_macs;
  }
  totals.gradient_bytes = totals.parameters * kFloatBytes;
  return totals;
}

std::vector<GradientTensor> GradientTensors(const Network& network) {
  std::vector<GradientTensor> tensors;
  for (const Layer& layer : network.layers) {
    tensors.insert(tensors.end(), layer.parameters.begin(), layer.parameters.end());
  }
  return tensors;
}

std::vector<NamedTensor> BufferTensors(const Network& network) {
  std::vector<NamedTensor> tensors;
  for (const Layer& layer : network.layers) {
    tensors.insert(tensors.end(), layer.buffers.begin(), layer.buffers.end());
  }
  return tensors;
}

std::vector<std::size_t> ReadinessOrder(const Network& network) {
  if (!network.observed_readiness.empty()) return network.observed_readiness;
  // Autograd runs backward nodes in the reverse order of their creation, and a gradient is delivered as
  // soon as its last contribution is there; a shared tensor therefore with the first layer that uses it.
  std::vector<std::size_t> order;
  std::size_t end = GradientTensors(network).size();
  for (auto layer = network.layers.rbegin(); layer != network.layers.rend(); ++layer) {
    const std::size_t begin = end - layer->parameters.size();
    std::vector<std::size_t> own(layer->parameters.size());
    std::iota(own.begin(), own.end(), begin);
    // A linear layer is addmm(bias, input, weight): its node hands the gradients back in that order.
    if (layer->kind == LayerKind::kLinear) std::reverse(own.begin(), own.end());
    order.insert(order.end(), own.begin(), own.end());
    end = begin;
  }
  return order;
}

int SmallestBatch(const Network& network) {
  const bool single_value = std::any_of(network.layers.begin(), network.layers.end(), [](const Layer& layer) {
    return layer.kind == LayerKind::kBatchNorm && Product(layer.output_shape) == layer.output_shape.front();
  });
  return single_value ? 2 : 1;
}

double TrainingMemoryBytes(const Network& network, int batch, int optimizer_slots, bool bf16) {
  const auto parameters = static_cast<double>(Totals(network).parameters);
  double buffers = 0;
  for (const NamedTensor& tensor : BufferTensors(network)) buffers += static_cast<double>(tensor.elements());
  double activations = 0;
  for (const Layer& layer : network.layers) activations += static_cast<double>(layer.activation_elements);
  const double element = bf16 ? kBfloatBytes : kFloatBytes;
  return kFloatBytes * (parameters * (2 + optimizer_slots) + buffers) +
         (bf16 ? kBfloatBytes * parameters : 0) + batch * activations * element;
}

}  // namespace stallscope
