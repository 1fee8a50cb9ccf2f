#include "stallscope/engine/torch/network_module.h"

#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>
#include <torch/torch.h>

#include <limits>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

/// torch's own momentum of running statistics.
constexpr double kStatisticsMomentum = 0.1;
/// The base of the rotation frequencies in RoFormer and Llama.
constexpr double kRotaryBase = 10000;

/// The weights of a fixed projection do not depend on the run's seed: they belong to the loss.
constexpr std::uint64_t kProjectionSeed = 20110;

at::IntArrayRef Shape(const NamedTensor& tensor) {
  return {tensor.shape};
}

bool IsNorm(LayerKind kind) {
  return kind == LayerKind::kBatchNorm || kind == LayerKind::kLayerNorm || kind == LayerKind::kRmsNorm;
}

/// {batch, length, width} to {batch, heads, length, width / heads}.
at::Tensor SplitHeads(const at::Tensor& x, int heads) {
  return x.unflatten(2, {heads, x.size(2) / heads}).transpose(1, 2);
}

at::Tensor Rotate(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine) {
  const auto halves = x.chunk(2, -1);
  return at::cat({halves[0] * cosine - halves[1] * sine, halves[1] * cosine + halves[0] * sine}, -1);
}

at::Tensor LinearLayer(const Layer& layer, const at::Tensor& x, const at::Tensor& weight,
                       const at::Tensor& bias) {
  if (!layer.transposed_weight) return at::linear(x, weight, bias);
  const at::Tensor rows = x.reshape({-1, x.size(-1)});
  at::Tensor result = bias.defined() ? at::addmm(bias, rows, weight) : at::mm(rows, weight);
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() = result.size(-1);
  return result.view(shape);
}

}  // namespace

NetworkModule::NetworkModule(Network network, std::uint64_t seed) : network_(std::move(network)) {
  const at::NoGradGuard no_grad;
  const at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(seed);
  nodes_.reserve(network_.layers.size());
  for (const Layer& layer : network_.layers) AddNode(layer, generator);
  PlanLifetimes();
}

void NetworkModule::AddNode(const Layer& layer, const at::Generator& generator) {
  Node node;
  node.layer = layer;
  if (layer.shares_parameters_of) {
    node.weight = nodes_[*layer.shares_parameters_of].weight;
  } else if (!layer.parameters.empty()) {
    const at::Tensor weight = at::empty(Shape(layer.parameters[0]));
    if (IsNorm(layer.kind)) {
      weight.fill_(1);
    } else if (layer.weight_std > 0) {
      weight.normal_(0, layer.weight_std, generator);
    } else {
      weight.zero_();
    }
    node.weight = weight.requires_grad_();
    parameters_.push_back(node.weight);
    if (layer.parameters.size() > 1) {
      node.bias = at::full(Shape(layer.parameters[1]), layer.bias_start, at::kFloat).requires_grad_();
      parameters_.push_back(node.bias);
    }
  }
  if (!layer.buffers.empty()) {
    node.running_mean = at::zeros(Shape(layer.buffers[0]));
    node.running_var = at::ones(Shape(layer.buffers[1]));
    node.batches_tracked = at::zeros({}, at::kLong);
    buffers_.insert(buffers_.end(), {node.running_mean, node.running_var, node.batches_tracked});
  }
  AddConstants(node);
  nodes_.push_back(std::move(node));
}

void NetworkModule::AddConstants(Node& node) const {
  const Layer& layer = node.layer;
  if (layer.kind == LayerKind::kFixedProjection) {
    const at::Generator fixed = at::make_generator<at::CPUGeneratorImpl>(kProjectionSeed);
    const std::int64_t in = network_.layers[layer.inputs[0]].output_shape.back();
    node.weight = at::empty({layer.output_shape.back(), in}).normal_(0, layer.weight_std, fixed);
  }
  if (layer.kind != LayerKind::kAttention) return;
  const std::int64_t length = layer.output_shape[0];
  for (const Node& earlier : nodes_) {
    // All blocks attend over the same length: one mask serves them.
    if (layer.causal && earlier.mask.defined() && earlier.mask.size(0) == length) node.mask = earlier.mask;
  }
  if (layer.causal && !node.mask.defined()) {
    node.mask = at::full({length, length}, -std::numeric_limits<float>::infinity()).triu(1);
  }
  if (layer.rotary) {
    const std::int64_t half = layer.output_shape[1] / layer.heads / 2;
    const at::Tensor exponents = at::arange(half, at::kFloat) / static_cast<double>(half);
    const at::Tensor angles = at::outer(at::arange(length, at::kFloat), at::pow(kRotaryBase, -exponents));
    node.cosine = angles.cos();
    node.sine = angles.sin();
  }
}

void NetworkModule::PlanLifetimes() {
  std::vector<std::size_t> last_use(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (const std::size_t input : nodes_[i].layer.inputs) last_use[input] = i;
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const bool is_output = i == network_.output || i == network_.auxiliary_output;
    if (!is_output && last_use[i] > i) nodes_[last_use[i]].dead_after.push_back(i);
  }
}

std::vector<std::string> NetworkModule::ParameterNames() {
  std::vector<std::string> names;
  for (const GradientTensor& tensor : GradientTensors(network_)) names.push_back(tensor.name);
  return names;
}

NetworkOutputs NetworkModule::Forward(const at::Tensor& inputs) {
  std::vector<at::Tensor> values(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    values[i] = Run(nodes_[i], values, inputs);
    if (observer_) observer_(i, values[i]);
    for (const std::size_t dead : nodes_[i].dead_after) values[dead].reset();
  }
  NetworkOutputs outputs;
  outputs.main = values[network_.output];
  if (network_.auxiliary_output) outputs.auxiliary = values[*network_.auxiliary_output];
  return outputs;
}

at::Tensor NetworkModule::Run(Node& node, const std::vector<at::Tensor>& values,
                              const at::Tensor& inputs) const {
  const Layer& layer = node.layer;
  const at::Tensor x = layer.inputs.empty() ? inputs : values[layer.inputs[0]];
  const auto pair = [](Extent e) { return std::array<std::int64_t, 2>{e.height, e.width}; };
  switch (layer.kind) {
    case LayerKind::kInput:
    case LayerKind::kState:
      return x;
    case LayerKind::kConv2d:
      return at::conv2d(x, node.weight, node.bias, pair(layer.stride), pair(layer.padding), 1, layer.groups);
    case LayerKind::kBatchNorm:
    case LayerKind::kLayerNorm:
    case LayerKind::kRmsNorm:
      return RunNorm(node, x);
    case LayerKind::kLinear:
      return LinearLayer(layer, x, node.weight, node.bias);
    case LayerKind::kFixedProjection:
      return at::linear(x, node.weight);
    case LayerKind::kEmbedding:
      return at::embedding(node.weight, x);
    case LayerKind::kPositionEmbedding:
      return node.weight.narrow(0, 0, x.size(1)).expand({x.size(0), x.size(1), node.weight.size(1)});
    case LayerKind::kTypeEmbedding:
      return node.weight.narrow(0, 0, 1).expand({x.size(0), x.size(1), node.weight.size(1)});
    case LayerKind::kClassToken:
      return node.weight.expand({x.size(0), -1, -1});
    case LayerKind::kAddParameter:
      return x + node.weight;
    case LayerKind::kRelu:
      return layer.in_place ? at::relu_(const_cast<at::Tensor&>(x)) : at::relu(x);
    case LayerKind::kRelu6:
      return layer.in_place ? at::hardtanh_(const_cast<at::Tensor&>(x), 0, 6) : at::hardtanh(x, 0, 6);
    case LayerKind::kGelu:
      return at::gelu(x);
    case LayerKind::kGeluTanh:
      return at::gelu(x, "tanh");
    case LayerKind::kSilu:
      return at::silu(x);
    case LayerKind::kTanh:
      return at::tanh(x);
    case LayerKind::kMaxPool:
      return at::max_pool2d(x, pair(layer.kernel), pair(layer.stride), pair(layer.padding), 1,
                            layer.ceil_mode);
    case LayerKind::kAveragePool:
      return at::avg_pool2d(x, pair(layer.kernel), pair(layer.stride), pair(layer.padding), layer.ceil_mode);
    case LayerKind::kAdaptiveAveragePool:
      return at::adaptive_avg_pool2d(x, pair(layer.kernel));
    case LayerKind::kFlatten:
      return x.flatten(1);
    case LayerKind::kTokensFromMap:
      return x.flatten(2).transpose(1, 2);
    case LayerKind::kSelectToken:
      return x.select(1, 0);
    case LayerKind::kDropout:
      return at::dropout(x, layer.dropout, training_);
    case LayerKind::kAdd:
      return layer.in_place ? x.add_(values[layer.inputs[1]]) : x + values[layer.inputs[1]];
    case LayerKind::kMultiply:
      return x * values[layer.inputs[1]];
    case LayerKind::kConcat: {
      std::vector<at::Tensor> parts;
      for (const std::size_t input : layer.inputs) parts.push_back(values[input]);
      return at::cat(parts, 1);
    }
    case LayerKind::kSlice:
      return x.narrow(1, layer.slice_start, layer.output_shape[0]);
    case LayerKind::kChannelShuffle:
      return x.unflatten(1, {layer.groups, x.size(1) / layer.groups})
          .transpose(1, 2)
          .reshape({x.size(0), x.size(1), x.size(2), x.size(3)});
    case LayerKind::kAttention:
      return RunAttention(node, values);
  }
  throw Error("a table holds a layer of unknown kind", "report this as a defect of stallscope");
}

at::Tensor NetworkModule::RunNorm(Node& node, const at::Tensor& x) const {
  const Layer& layer = node.layer;
  if (layer.kind == LayerKind::kBatchNorm) {
    if (training_) node.batches_tracked.add_(1);
    return at::batch_norm(x, node.weight, node.bias, node.running_mean, node.running_var, training_,
                          kStatisticsMomentum, layer.epsilon, false);
  }
  if (layer.kind == LayerKind::kLayerNorm) {
    return at::layer_norm(x, {x.size(-1)}, node.weight, node.bias, layer.epsilon);
  }
  return x * at::rsqrt(x.square().mean(-1, true) + layer.epsilon) * node.weight;
}

at::Tensor NetworkModule::RunAttention(const Node& node, const std::vector<at::Tensor>& values) const {
  const Layer& layer = node.layer;
  std::vector<at::Tensor> parts;
  if (layer.inputs.size() == 1) {
    parts = values[layer.inputs[0]].chunk(3, 2);
  } else {
    for (const std::size_t input : layer.inputs) parts.push_back(values[input]);
  }
  at::Tensor query = SplitHeads(parts[0], layer.heads);
  at::Tensor key = SplitHeads(parts[1], layer.heads);
  if (layer.rotary) {
    query = Rotate(query, node.cosine, node.sine);
    key = Rotate(key, node.cosine, node.sine);
  }
  const double scale = 1 / std::sqrt(static_cast<double>(query.size(3)));
  at::Tensor scores = at::matmul(query * scale, key.transpose(2, 3));
  if (layer.causal) scores.add_(node.mask);
  at::Tensor weights = at::softmax(scores, -1);
  if (layer.dropout > 0) weights = at::dropout(weights, layer.dropout, training_);
  return at::matmul(weights, SplitHeads(parts[2], layer.heads)).transpose(1, 2).flatten(2);
}

at::Tensor NetworkModule::Loss(const SampleBatch& batch) {
  if (training_ && batch.inputs.size(0) < SmallestBatch(network_)) {
    throw UsageError(
        fmt::format("{} cannot train on one image of this size: a batch norm sees one value", network_.name),
        "raise --batch to 2 or more, or --image-size");
  }
  const NetworkOutputs outputs = Forward(batch.inputs);
  if (network_.loss == LossKind::kNextToken) {
    const std::int64_t predicted = batch.inputs.size(1) - 1;
    return at::cross_entropy_loss(outputs.main.narrow(1, 0, predicted).flatten(0, 1),
                                  batch.inputs.narrow(1, 1, predicted).flatten());
  }
  at::Tensor loss = at::cross_entropy_loss(outputs.main, batch.targets);
  if (outputs.auxiliary.defined()) {
    loss = loss + kAuxiliaryWeight * at::cross_entropy_loss(outputs.auxiliary, batch.targets);
  }
  return loss;
}

SampleBatch NetworkModule::SyntheticBatch(int batch, std::uint64_t seed) {
  const at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(seed);
  std::vector<std::int64_t> shape = network_.sample_shape;
  shape.insert(shape.begin(), batch);
  SampleBatch samples;
  if (network_.sample_kind == SampleKind::kImage) {
    samples.inputs = at::randn(shape, generator, c10::nullopt, at::kFloat);
  } else {
    samples.inputs = at::randint(0, network_.vocabulary, shape, generator, at::kLong);
  }
  if (network_.loss == LossKind::kClasses) {
    samples.targets = at::randint(0, network_.classes, {batch}, generator, at::kLong);
  }
  return samples;
}

std::unique_ptr<TrainableNetwork> MakeNetworkModule(const Network& network, std::uint64_t seed) {
  return std::make_unique<NetworkModule>(network, seed);
}

}  // namespace stallscope
