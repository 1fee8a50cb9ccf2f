#include "stallscope/engine/torch/operator_recorder.h"

#include <ATen/record_function.h>
#include <fmt/format.h>
#include <torch/torch.h>

#include <optional>
#include <set>
#include <string>

namespace stallscope {

struct OperatorRecorder::State {
  std::set<const void*> weights;
  std::set<const void*> results;
  std::vector<Layer> layers;
  std::int64_t batch = 1;
  std::optional<at::CallbackHandle> handle;
};

namespace {

// RecordFunction takes plain functions: the recorder of this thread is found here.
thread_local OperatorRecorder::State* recording = nullptr;

const void* Memory(const at::Tensor& tensor) {
  return tensor.has_storage() ? tensor.storage().data() : nullptr;
}

std::vector<at::Tensor> Tensors(c10::ArrayRef<const c10::IValue> values) {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& value : values) {
    if (value.isTensor() && value.toTensor().defined()) tensors.push_back(value.toTensor());
  }
  return tensors;
}

/// The kind of an operator that has work or weights; nothing for the others.
std::optional<LayerKind> KindOf(const std::string& name) {
  if (name == "aten::convolution") return LayerKind::kConv2d;
  if (name == "aten::addmm" || name == "aten::mm") return LayerKind::kLinear;
  if (name == "aten::bmm" || name == "aten::baddbmm") return LayerKind::kAttention;
  if (name == "aten::embedding") return LayerKind::kEmbedding;
  return std::nullopt;
}

/// Multiply-adds of a whole batch.
std::int64_t Macs(LayerKind kind, const std::vector<at::Tensor>& inputs, const at::Tensor& result) {
  switch (kind) {
    case LayerKind::kConv2d:
      return result.numel() * inputs[1].numel() / inputs[1].size(0);
    case LayerKind::kLinear:
    case LayerKind::kAttention:
      return result.numel() * inputs[inputs.size() - 2].size(-1);
    default:
      return 0;
  }
}

/// torch shows an operator's inputs only when it begins and its results only when it ends.
struct Begun : at::ObserverContext {
  std::vector<at::Tensor> inputs;
};

std::unique_ptr<at::ObserverContext> Begin(const at::RecordFunction& function) {
  auto begun = std::make_unique<Begun>();
  if (KindOf(function.name())) begun->inputs = Tensors(function.inputs());
  return begun;
}

void Record(const at::RecordFunction& function, at::ObserverContext* context) {
  if (recording == nullptr || context == nullptr) return;
  const std::vector<at::Tensor>& inputs = static_cast<const Begun*>(context)->inputs;
  const std::vector<at::Tensor> outputs =
      Tensors(c10::ArrayRef<const c10::IValue>(function.outputs().data(), function.outputs().size()));
  if (outputs.empty()) return;
  const at::Tensor& result = outputs.front();
  Layer layer;
  layer.name = function.name();
  bool fresh = false;
  for (const at::Tensor& output : outputs) {
    if (Memory(output) == nullptr || !recording->results.insert(Memory(output)).second) continue;
    layer.activation_elements += output.numel() / recording->batch;
    fresh = true;
  }
  const std::optional<LayerKind> kind = KindOf(layer.name);
  if (!kind && !fresh) return;
  // kInput: an operator that is only known by its memory.
  layer.kind = kind.value_or(LayerKind::kInput);
  layer.output_shape = result.sizes().vec();
  if (!layer.output_shape.empty()) layer.output_shape.front() /= recording->batch;
  if (kind && inputs.size() >= 2) {
    layer.forward_macs = Macs(*kind, inputs, result) / recording->batch;
    // A product of two activations is attention's, whatever its rank.
    if (*kind == LayerKind::kLinear && recording->weights.count(Memory(inputs.back())) == 0) {
      layer.kind = LayerKind::kAttention;
    }
  }
  recording->layers.push_back(std::move(layer));
}

}  // namespace

OperatorRecorder::OperatorRecorder(const std::vector<at::Tensor>& parameters, int batch)
    : state_(std::make_unique<State>()) {
  state_->batch = batch;
  for (const at::Tensor& parameter : parameters) {
    state_->weights.insert(Memory(parameter));
    state_->results.insert(Memory(parameter));
  }
  recording = state_.get();
  state_->handle = at::addThreadLocalCallback(at::RecordFunctionCallback(Begin, Record)
                                                  .needsInputs(true)
                                                  .needsOutputs(true)
                                                  .scopes({at::RecordScope::FUNCTION}));
}

OperatorRecorder::~OperatorRecorder() {
  Stop();
}

std::vector<Layer> OperatorRecorder::Stop() {
  if (state_->handle) at::removeCallback(*state_->handle);
  state_->handle.reset();
  recording = nullptr;
  return std::move(state_->layers);
}

}  // namespace stallscope
