#include "stallscope/network/builder.h"

#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace stallscope {
namespace {

std::int64_t Elements(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

/// He's initialisation: the variance of the signal survives a layer that is followed by a ReLU.
double HeStd(std::int64_t fan_in) {
  return std::sqrt(2.0 / static_cast<double>(fan_in));
}

std::int64_t WindowsAlong(std::int64_t size, int kernel, int stride, int padding, bool ceil_mode) {
  const std::int64_t room = size + 2 * padding - kernel;
  // One pixel leaves nothing to stride over: such a network would train on its own padding.
  if (room < 0 || (stride > 1 && size < 2)) throw ImageTooSmall("a window is larger than its input");
  std::int64_t windows = room / stride + 1;
  // Rounding up adds a last, partial window, but none that would begin in the padding.
  if (ceil_mode && room % stride != 0 && windows * stride < size + padding) ++windows;
  return windows;
}

}  // namespace

NetworkBuilder::NetworkBuilder(std::string name, int classes) {
  network_.name = std::move(name);
  network_.classes = classes;
}

Layer NetworkBuilder::Start(LayerKind kind, std::string name, std::vector<Node> inputs) const {
  Layer layer;
  layer.kind = kind;
  layer.name = std::move(name);
  layer.inputs = std::move(inputs);
  if (!layer.inputs.empty()) layer.output_shape = Shape(layer.inputs.front());
  return layer;
}

NetworkBuilder::Node NetworkBuilder::Append(Layer layer) {
  network_.layers.push_back(std::move(layer));
  return network_.layers.size() - 1;
}

NetworkBuilder::Node NetworkBuilder::AppendFresh(Layer layer) {
  layer.activation_elements += Elements(layer.output_shape);
  return Append(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::Images(int size) {
  network_.sample_kind = SampleKind::kImage;
  network_.sample_shape = {3, size, size};
  Layer layer = Start(LayerKind::kInput, "images", {});
  layer.output_shape = network_.sample_shape;
  return AppendFresh(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::Tokens(int length, int vocabulary) {
  network_.sample_kind = SampleKind::kTokens;
  network_.sample_shape = {length};
  network_.vocabulary = vocabulary;
  Layer layer = Start(LayerKind::kInput, "tokens", {});
  layer.output_shape = network_.sample_shape;
  return AppendFresh(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::Conv(const std::string& name, Node input, const ConvOptions& options) {
  Layer layer = Start(LayerKind::kConv2d, name, {input});
  const std::vector<std::int64_t> in = Shape(input);
  const std::int64_t in_per_group = in[0] / options.groups;
  const std::int64_t fan_in = in_per_group * options.kernel.height * options.kernel.width;
  layer.kernel = options.kernel;
  layer.stride = options.stride;
  layer.padding = options.padding;
  layer.groups = options.groups;
  layer.bias = options.bias;
  layer.weight_std = options.weight_std > 0 ? options.weight_std : HeStd(fan_in);
  layer.output_shape = {
      options.out,
      WindowsAlong(in[1], options.kernel.height, options.stride.height, options.padding.height, false),
      WindowsAlong(in[2], options.kernel.width, options.stride.width, options.padding.width, false)};
  layer.forward_macs = Elements(layer.output_shape) * fan_in;
  layer.parameters.push_back(
      {name + ".weight", {options.out, in_per_group, options.kernel.height, options.kernel.width}});
  if (options.bias) layer.parameters.push_back({name + ".bias", {options.out}});
  return AppendFresh(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::BatchNorm(const std::string& name, Node input, double epsilon) {
  Layer layer = Start(LayerKind::kBatchNorm, name, {input});
  const std::int64_t channels = layer.output_shape.front();
  layer.epsilon = epsilon;
  layer.parameters = {{name + ".weight", {channels}}, {name + ".bias", {channels}}};
  layer.buffers = {{name + ".running_mean", {channels}},
                   {name + ".running_var", {channels}},
                   {name + ".num_batches_tracked", {}}};
  return AppendFresh(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::LayerNorm(const std::string& name, Node input, double epsilon) {
  Layer layer = Start(LayerKind::kLayerNorm, name, {input});
  const std::int64_t width = layer.output_shape.back();
  layer.epsilon = epsilon;
  layer.parameters = {{name + ".weight", {width}}, {name + ".bias", {width}}};
  return AppendFresh(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::RmsNorm(const std::string& name, Node input, double epsilon) {
  Layer layer = Start(LayerKind::kRmsNorm, name, {input});
  layer.epsilon = epsilon;
  layer.parameters = {{name + ".weight", {layer.output_shape.back()}}};
  // The normalised value is kept beside the scaled one.
  layer.activation_elements = Elements(layer.output_shape);
  return AppendFresh(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::Linear(const std::string& name, Node input,
                                            const LinearOptions& options) {
  Layer layer = Start(LayerKind::kLinear, name, {input});
  const std::int64_t in = layer.output_shape.back();
  layer.bias = options.bias;
  layer.transposed_weight = options.transposed_weight;
  layer.weight_std = options.weight_std > 0 ? options.weight_std : HeStd(in);
  layer.output_shape.back() = options.out;
  layer.forward_macs = Elements(layer.output_shape) * in;
  layer.parameters.push_back({name + ".weight", {options.out, in}});
  if (options.transposed_weight) layer.parameters.back().shape = {in, options.out};
  if (options.bias) layer.parameters.push_back({name + ".bias", {options.out}});
  return AppendFresh(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::TiedLinear(const std::string& name, Node input, Node embedding) {
  Layer layer = Start(LayerKind::kLinear, name, {input});
  const std::vector<std::int64_t>& table = network_.layers[embedding].parameters.front().shape;
  layer.shares_parameters_of = embedding;
  layer.output_shape.back() = table[0];
  layer.forward_macs = Elements(layer.output_shape) * table[1];
  return AppendFresh(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::FixedProjection(const std::string& name, Node input, int out) {
  Layer layer = Start(LayerKind::kFixedProjection, name, {input});
  const std::int64_t in = layer.output_shape.back();
  layer.weight_std = 1 / std::sqrt(static_cast<double>(in));
  layer.output_shape.back() = out;
  layer.forward_macs = Elements(layer.output_shape) * in;
  return AppendFresh(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::Embedding(const std::string& name, Node tokens, int rows, int width,
                                               double weight_std) {
  Layer layer = Start(LayerKind::kEmbedding, name, {tokens});
  layer.weight_std = weight_std;
  layer.output_shape.push_back(width);
  layer.parameters = {{name + ".weight", {rows, width}}};
  return AppendFresh(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::PositionEmbedding(const std::string& name, Node tokens, int rows,
                                                       int width, double weight_std) {
  Layer layer = Start(LayerKind::kPositionEmbedding, name, {tokens});
  layer.weight_std = weight_std;
  layer.output_shape.push_back(width);
  layer.parameters = {{name + ".weight", {rows, width}}};
  return Append(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::TypeEmbedding(const std::string& name, Node tokens, int rows, int width,
                                                   double weight_std) {
  const Node node = PositionEmbedding(name, tokens, rows, width, weight_std);
  network_.layers[node].kind = LayerKind::kTypeEmbedding;
  return node;
}

NetworkBuilder::Node NetworkBuilder::ClassToken(const std::string& name, Node images, int width) {
  Layer layer = Start(LayerKind::kClassToken, name, {images});
  layer.output_shape = {1, width};
  layer.parameters = {{name, {1, 1, width}}};
  return Append(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::AddParameter(const std::string& name, Node input, double weight_std) {
  Layer layer = Start(LayerKind::kAddParameter, name, {input});
  layer.weight_std = weight_std;
  layer.parameters = {{name, {1, layer.output_shape[0], layer.output_shape[1]}}};
  return AppendFresh(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::Relu(Node input, LayerKind kind) {
  Layer layer = Start(kind, "relu", {input});
  layer.in_place = true;
  return Append(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::Activation(LayerKind kind, Node input) {
  return AppendFresh(Start(kind, "activation", {input}));
}

NetworkBuilder::Node NetworkBuilder::AppendPool(LayerKind kind, const char* name, Node input,
                                                const PoolOptions& options) {
  Layer layer = Start(kind, name, {input});
  layer.kernel = options.kernel;
  layer.stride = options.stride;
  layer.padding = options.padding;
  layer.ceil_mode = options.ceil_mode;
  layer.output_shape[1] = WindowsAlong(layer.output_shape[1], options.kernel.height, options.stride.height,
                                       options.padding.height, options.ceil_mode);
  layer.output_shape[2] = WindowsAlong(layer.output_shape[2], options.kernel.width, options.stride.width,
                                       options.padding.width, options.ceil_mode);
  // The positions of the maxima are kept as 8-byte integers: two elements more.
  if (kind == LayerKind::kMaxPool) layer.activation_elements = 2 * Elements(layer.output_shape);
  return AppendFresh(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::MaxPool(Node input, const PoolOptions& options) {
  return AppendPool(LayerKind::kMaxPool, "maxpool", input, options);
}

NetworkBuilder::Node NetworkBuilder::AveragePool(Node input, const PoolOptions& options) {
  return AppendPool(LayerKind::kAveragePool, "avgpool", input, options);
}

NetworkBuilder::Node NetworkBuilder::AdaptiveAveragePool(Node input, Extent size) {
  Layer layer = Start(LayerKind::kAdaptiveAveragePool, "avgpool", {input});
  layer.kernel = size;
  layer.output_shape = {layer.output_shape[0], size.height, size.width};
  return AppendFresh(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::Flatten(Node input) {
  Layer layer = Start(LayerKind::kFlatten, "flatten", {input});
  layer.output_shape = {Elements(layer.output_shape)};
  return Append(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::TokensFromMap(Node input) {
  Layer layer = Start(LayerKind::kTokensFromMap, "tokens", {input});
  const std::vector<std::int64_t> in = layer.output_shape;
  layer.output_shape = {in[1] * in[2], in[0]};
  return Append(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::SelectToken(Node input) {
  Layer layer = Start(LayerKind::kSelectToken, "first_token", {input});
  layer.output_shape = {layer.output_shape.back()};
  return Append(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::Dropout(Node input, double probability) {
  Layer layer = Start(LayerKind::kDropout, "dropout", {input});
  layer.dropout = probability;
  // The mask is kept beside the result.
  layer.activation_elements = Elements(layer.output_shape);
  return AppendFresh(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::AddInto(Node into, Node other) {
  Layer layer = Start(LayerKind::kAdd, "add", {into, other});
  layer.in_place = true;
  return Append(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::Add(Node first, Node second) {
  return AppendFresh(Start(LayerKind::kAdd, "add", {first, second}));
}

NetworkBuilder::Node NetworkBuilder::Multiply(Node first, Node second) {
  return AppendFresh(Start(LayerKind::kMultiply, "multiply", {first, second}));
}

NetworkBuilder::Node NetworkBuilder::Concat(const std::vector<Node>& inputs) {
  Layer layer = Start(LayerKind::kConcat, "concat", inputs);
  layer.output_shape[0] = 0;
  for (const Node input : inputs) layer.output_shape[0] += Shape(input)[0];
  return AppendFresh(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::Slice(Node input, std::int64_t start, std::int64_t length) {
  Layer layer = Start(LayerKind::kSlice, "slice", {input});
  layer.slice_start = start;
  layer.output_shape[0] = length;
  return Append(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::ChannelShuffle(Node input, int groups) {
  Layer layer = Start(LayerKind::kChannelShuffle, "channel_shuffle", {input});
  layer.groups = groups;
  return AppendFresh(std::move(layer));
}

NetworkBuilder::Node NetworkBuilder::Attention(const std::string& name, const std::vector<Node>& inputs,
                                               const AttentionOptions& options) {
  Layer layer = Start(LayerKind::kAttention, name, inputs);
  if (inputs.size() == 1) layer.output_shape.back() /= 3;
  const std::int64_t length = layer.output_shape[0];
  const std::int64_t width = layer.output_shape[1];
  layer.heads = options.heads;
  layer.causal = options.causal;
  layer.rotary = options.rotary;
  layer.dropout = options.dropout;
  // Queries times keys, then the weights times values.
  layer.forward_macs = 2 * length * length * width;
  // Scores after the softmax, with dropout also the mask and the result; and copies of q, k, v by head.
  layer.activation_elements =
      options.heads * length * length * (options.dropout > 0 ? 3 : 1) + 3 * length * width;
  return AppendFresh(std::move(layer));
}

Network NetworkBuilder::Finish(Node output) {
  network_.output = output;
  return std::move(network_);
}

}  // namespace stallscope
