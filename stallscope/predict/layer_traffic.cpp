#include "stallscope/predict/layer_traffic.h"

#include <functional>
#include <numeric>

namespace stallscope {
namespace {

double Elements(const std::vector<std::int64_t>& shape) {
  return static_cast<double>(
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
}

/// Products run forward, and twice backward: for the gradient of the input and for that of the weight.
/// Each reads two of {input, output, weight} and writes the third.
constexpr double kProductPasses = 3;
/// A batch norm reads twice (statistics, then values) and writes; backward reads input and gradient twice,
/// writes.
constexpr double kBatchNormPasses = 8;
/// A layer norm keeps its row on the chip: 2 forward, then reads input and gradient twice and writes.
constexpr double kRowNormPasses = 7;
/// Reads and writes; backward reads the result and the gradient and writes.
constexpr double kActivationPasses = 5;
/// Two read, one written; the gradient goes on as it is.
constexpr double kSumPasses = 3;
constexpr double kCopyPasses = 4;
constexpr double kLookupPasses = 3;
/// Of the attention weights: scale and mask, softmax, dropout, forward and backward, each read and written.
constexpr double kAttentionWeightPasses = 12;
/// Queries, keys and values are reordered by head, and back.
constexpr double kAttentionOperandPasses = 6;

/// Elementary kernels in place of one, weighted by what they move: tanh-GELU is eight elementwise operations
/// forward and about twelve backward; a norm has means, differences, squares, roots and products; dropout
/// draws, compares, multiplies and scales.
constexpr double kGeluChain = 8;
constexpr double kNormChain = 6;
constexpr double kSiluChain = 3;
constexpr double kDropoutChain = 2.5;
constexpr double kAttentionChain = 1.5;

}  // namespace

LayerTraffic TrafficOf(const Network& network, const Layer& layer) {
  double in = 0;
  for (const std::size_t input : layer.inputs) in += Elements(network.layers[input].output_shape);
  const double out = Elements(layer.output_shape);
  switch (layer.kind) {
    case LayerKind::kConv2d:
    case LayerKind::kLinear:
    case LayerKind::kFixedProjection:
      return {.products = kProductPasses * (in + out), .kernels = 3};
    case LayerKind::kBatchNorm:
      return {.others = kBatchNormPasses * out, .kernels = 2};
    case LayerKind::kLayerNorm:
    case LayerKind::kRmsNorm:
      return {.others = kRowNormPasses * out, .unfused_factor = kNormChain, .kernels = 2};
    case LayerKind::kGelu:
    case LayerKind::kGeluTanh:
      return {.others = kActivationPasses * out, .unfused_factor = kGeluChain, .kernels = 2};
    case LayerKind::kSilu:
      return {.others = kActivationPasses * out, .unfused_factor = kSiluChain, .kernels = 2};
    case LayerKind::kRelu:
    case LayerKind::kRelu6:
    case LayerKind::kTanh:
      return {.others = kActivationPasses * out, .kernels = 2};
    case LayerKind::kDropout:
      return {.others = kActivationPasses * out, .unfused_factor = kDropoutChain, .kernels = 2};
    case LayerKind::kMaxPool:
    case LayerKind::kAveragePool:
    case LayerKind::kAdaptiveAveragePool:
      return {.others = 2 * (in + out), .kernels = 2};
    case LayerKind::kAdd:
    case LayerKind::kMultiply:
      return {.others = kSumPasses * out, .kernels = 2};
    case LayerKind::kConcat:
    case LayerKind::kSlice:
    case LayerKind::kChannelShuffle:
      return {.others = kCopyPasses * out, .kernels = 2};
    case LayerKind::kEmbedding:
    case LayerKind::kPositionEmbedding:
    case LayerKind::kTypeEmbedding:
    case LayerKind::kClassToken:
    case LayerKind::kAddParameter:
      return {.others = kLookupPasses * out, .kernels = 2};
    case LayerKind::kAttention: {
      const auto length = static_cast<double>(layer.output_shape.front());
      const double weights = layer.heads * length * length;
      return {.products = kProductPasses * (2 * weights + in + out),
              .others = kAttentionWeightPasses * weights + kAttentionOperandPasses * in,
              .unfused_factor = kAttentionChain,
              .kernels = 3};
    }
    case LayerKind::kInput:
    case LayerKind::kState:
    case LayerKind::kFlatten:
    case LayerKind::kTokensFromMap:
    case LayerKind::kSelectToken:
      break;  // views
  }
  return {};
}

}  // namespace stallscope
