#include "stallscope/predict/memory_need.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "stallscope/base/error.h"
#include "stallscope/base/units.h"
#include "stallscope/predict/roofline.h"

namespace stallscope {
namespace {

constexpr double kFloatBytes = 4;
constexpr double kHalfBytes = 2;
constexpr double kMaskBytes = 1;
/// What an idle PyTorch process with cuDNN and cuBLAS holds on a GPU: about half a gigabyte.
constexpr double kContextBytes = 5e8;

double Elements(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), 1.0, [](double product, std::int64_t side) {
    return product * static_cast<double>(side);
  });
}

/// Layers whose gradient is computed from their input.
bool ReadsInput(LayerKind kind) {
  switch (kind) {
    case LayerKind::kConv2d:
    case LayerKind::kLinear:
    case LayerKind::kFixedProjection:
    case LayerKind::kBatchNorm:
    case LayerKind::kLayerNorm:
    case LayerKind::kRmsNorm:
    case LayerKind::kGelu:
    case LayerKind::kGeluTanh:
    case LayerKind::kSilu:
    case LayerKind::kMultiply:
    case LayerKind::kAttention:
      return true;
    default:
      return false;
  }
}

/// Layers whose gradient is computed from their result.
bool ReadsOutput(LayerKind kind) {
  return kind == LayerKind::kRelu || kind == LayerKind::kRelu6 || kind == LayerKind::kTanh;
}

bool IsView(LayerKind kind) {
  return kind == LayerKind::kFlatten || kind == LayerKind::kTokensFromMap || kind == LayerKind::kSelectToken;
}

/// Bytes that one sample leaves for the backward pass. `attention_weights`: how often the weights are kept,
/// once where softmax and dropout are one kernel, else twice.
double KeptPerSample(const Network& network, double width, double attention_weights) {
  // Layers that work in place or return a view share the storage of their first input.
  std::vector<std::size_t> storage(network.layers.size());
  std::vector<bool> kept(network.layers.size(), false);
  double masks = 0;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    const bool shares = (layer.in_place || IsView(layer.kind)) && !layer.inputs.empty();
    storage[i] = shares ? storage[layer.inputs.front()] : i;
    if (ReadsOutput(layer.kind)) kept[storage[i]] = true;
    if (ReadsInput(layer.kind)) {
      for (const std::size_t input : layer.inputs) kept[storage[input]] = true;
    }
    if (layer.kind == LayerKind::kDropout) masks += kMaskBytes * Elements(layer.output_shape);
    if (layer.kind == LayerKind::kAttention) {
      const auto length = static_cast<double>(layer.output_shape.front());
      masks +=
          layer.heads * length * length * (attention_weights * width + (layer.dropout > 0 ? kMaskBytes : 0));
    }
  }
  double elements = 0;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    if (kept[i]) elements += Elements(network.layers[i].output_shape);
  }
  return elements * width + masks;
}

double LargestOperands(const Network& network) {
  double largest = 0;
  for (const Layer& layer : network.layers) {
    double elements = Elements(layer.output_shape);
    for (const std::size_t input : layer.inputs) elements += Elements(network.layers[input].output_shape);
    largest = std::max(largest, elements);
  }
  return largest;
}

}  // namespace

double Capacity(Bytes memory) {
  constexpr double kBinary = 1024.0 * 1024 * 1024 / 1e9;
  return memory.value * kBinary;
}

int UsualOptimizerSlots(const Network& network) {
  return HasAttention(network) ? 2 : 1;
}

MemoryNeed MemoryNeeded(const Network& network, const Workload& workload, int optimizer_slots) {
  const bool amp = workload.dtype == Dtype::kAmp;
  const double width = amp ? kHalfBytes : kFloatBytes;
  const double batch = workload.batch;
  const auto parameters = static_cast<double>(Totals(network).parameters);
  double buffers = 0;
  for (const NamedTensor& tensor : BufferTensors(network)) buffers += static_cast<double>(tensor.elements());

  MemoryNeed need;
  need.state =
      kFloatBytes * (parameters * (2 + optimizer_slots) + buffers) + (amp ? kHalfBytes * parameters : 0);
  need.activations = batch * KeptPerSample(network, width, 2);
  need.workspace = batch * width * LargestOperands(network);
  need.context = kContextBytes;
  // Gradients in half precision, one kernel for softmax and dropout, and no workspace.
  const double least_state = kFloatBytes * (parameters * (1 + optimizer_slots) + buffers) +
                             (amp ? kHalfBytes : kFloatBytes) * parameters;
  need.least = least_state + batch * KeptPerSample(network, width, 1) + kContextBytes;
  return need;
}

std::optional<int> LargestBatch(const Network& network, const Workload& workload, int optimizer_slots,
                                Bytes memory) {
  Workload one = workload;
  one.batch = 1;
  Workload two = workload;
  two.batch = 2;
  const double first = MemoryNeeded(network, one, optimizer_slots).least;
  const double each = MemoryNeeded(network, two, optimizer_slots).least - first;
  const double room = Capacity(memory) - first;
  if (room < 0) return std::nullopt;
  return 1 + static_cast<int>(std::min(room / each, 1e9));
}

void RequireFits(const Network& network, const Workload& workload, int optimizer_slots, const GpuSpeed& gpu) {
  const MemoryNeed need = MemoryNeeded(network, workload, optimizer_slots);
  if (!gpu.memory || need.least <= Capacity(*gpu.memory)) return;
  const std::optional<int> largest = LargestBatch(network, workload, optimizer_slots, *gpu.memory);
  throw Error(fmt::format("{} with a batch of {} in {} needs at least {} a GPU, {} has {}", network.name,
                          workload.batch, DtypeName(workload.dtype), FormatBytes(need.least), gpu.name,
                          FormatBytes(Capacity(*gpu.memory))),
              largest ? fmt::format("use --batch {} or less, or a GPU with more memory", *largest)
                      : "use a GPU with more memory: not even one sample fits");
}

}  // namespace stallscope
