#include "stallscope/engine/torch/torchscript_module.h"

#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/script.h>
#include <torch/torch.h>

#include <fstream>

#include "stallscope/base/error.h"
#include "stallscope/engine/torch/operator_recorder.h"

namespace stallscope {
namespace {

/// Two samples: one would be too few for a batch norm, and a mistaken batch dimension would not show.
constexpr int kTracedBatch = 2;

/// torch's messages carry stack traces; the last line that says something is the cause.
std::string Cause(const std::exception& problem) {
  const auto* error = dynamic_cast<const c10::Error*>(&problem);
  const std::string text = error != nullptr ? error->what_without_backtrace() : problem.what();
  std::string cause;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" ~^.<-") != std::string::npos && line.find("HERE") == std::string::npos) {
      cause = line;
    }
  }
  return cause;
}

std::string ShapeText(at::IntArrayRef shape) {
  return shape.empty() ? "a single number" : fmt::format("{}", fmt::join(shape, "x"));
}

class TorchscriptModule : public TrainableNetwork {
 public:
  explicit TorchscriptModule(const TorchscriptRequest& request) : request_(request) {
    if (!std::ifstream(request.file)) {
      throw UsageError(fmt::format("cannot read the TorchScript file '{}'", request.file),
                       "check --torchscript");
    }
    try {
      module_ = torch::jit::load(request.file, at::kCPU);
    } catch (const std::exception&) {
      throw UsageError(fmt::format("'{}' is no TorchScript file", request.file),
                       "save the network with torch.jit.script(network).save(FILE), not with torch.save");
    }
    for (const auto& parameter : module_.named_parameters()) {
      if (!parameter.value.requires_grad()) continue;
      names_.push_back(parameter.name);
      parameters_.push_back(parameter.value);
    }
    if (parameters_.empty()) {
      throw UsageError(fmt::format("'{}' has no parameters to train", request.file),
                       "script the network itself, with requires_grad left on");
    }
    for (const auto& buffer : module_.named_buffers()) {
      buffer_names_.push_back(buffer.name);
      buffers_.push_back(buffer.value);
    }
    module_.train();
  }

  at::Tensor Loss(const SampleBatch& batch) override {
    const at::Tensor output = Output(batch.inputs);
    if (output.dim() == 2) return at::cross_entropy_loss(output, batch.targets);
    const std::int64_t predicted = batch.inputs.size(1) - 1;
    return at::cross_entropy_loss(output.narrow(1, 0, predicted).flatten(0, 1),
                                  batch.inputs.narrow(1, 1, predicted).flatten());
  }

  std::vector<at::Tensor> Parameters() override { return parameters_; }
  std::vector<std::string> ParameterNames() override { return names_; }
  std::vector<at::Tensor> Buffers() override { return buffers_; }
  void SetTraining(bool training) override { module_.train(training); }
  const std::vector<std::string>& BufferNames() const { return buffer_names_; }

  SampleBatch SyntheticBatch(int batch, std::uint64_t seed) override {
    const at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(seed);
    std::vector<std::int64_t> shape = request_.sample_shape;
    shape.insert(shape.begin(), batch);
    SampleBatch samples;
    samples.inputs = request_.sample_kind == SampleKind::kImage
                         ? at::randn(shape, generator, c10::nullopt, at::kFloat)
                         : at::randint(0, request_.vocabulary, shape, generator, at::kLong);
    samples.targets = at::randint(0, request_.classes, {batch}, generator, at::kLong);
    return samples;
  }

 private:
  at::Tensor Output(const at::Tensor& inputs) {
    c10::IValue result;
    try {
      result = module_.forward({inputs});
    } catch (const std::exception& problem) {
      throw UsageError(fmt::format("'{}' does not take samples of {}: {}", request_.file,
                                   ShapeText(request_.sample_shape), Cause(problem)),
                       "give --input-shape as the network expects one sample, without the batch");
    }
    if (!result.isTensor()) {
      throw UsageError(fmt::format("'{}' returns a {}, not one tensor", request_.file, result.tagKind()),
                       "script a network whose forward returns the class scores alone");
    }
    const at::Tensor output = result.toTensor();
    const std::int64_t batch = inputs.size(0);
    const std::vector<std::int64_t> per_sample = {batch, request_.classes};
    const std::vector<std::int64_t> per_token = {batch, inputs.size(1), request_.classes};
    const bool tokens = request_.sample_kind == SampleKind::kTokens;
    if (output.sizes() == per_sample || (tokens && output.sizes() == per_token)) return output;
    const bool only_classes = output.dim() >= 2 && output.size(0) == batch;
    throw UsageError(fmt::format("'{}' answers a batch of {} with {}, which does not fit {} classes",
                                 request_.file, batch, ShapeText(output.sizes()), request_.classes),
                     only_classes ? fmt::format("give --classes {}", output.size(-1))
                                  : "script a network whose forward returns one row of scores per sample");
  }

  TorchscriptRequest request_;
  torch::jit::Module module_;
  std::vector<std::string> names_;
  std::vector<at::Tensor> parameters_;
  std::vector<std::string> buffer_names_;
  std::vector<at::Tensor> buffers_;
};

/// Runs one step to see what autograd delivers, and leaves the network as it was.
Network Observe(const TorchscriptRequest& request, TorchscriptModule& module) {
  const std::vector<at::Tensor> parameters = module.Parameters();
  const std::vector<std::string> names = module.ParameterNames();
  std::vector<at::Tensor> kept;
  for (const at::Tensor& buffer : module.Buffers()) kept.push_back(buffer.clone());

  Network table;
  table.name = request.file;
  table.sample_kind = request.sample_kind;
  table.sample_shape = request.sample_shape;
  table.classes = request.classes;
  table.vocabulary = request.vocabulary;
  Layer state;
  state.kind = LayerKind::kState;
  state.name = "parameters";
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    state.parameters.push_back({names[i], parameters[i].sizes().vec()});
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    state.buffers.push_back({module.BufferNames()[i], kept[i].sizes().vec()});
  }
  table.layers.push_back(std::move(state));

  std::vector<unsigned> hooks;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    hooks.push_back(parameters[i].register_hook(
        [&table, i](const at::Tensor&) { table.observed_readiness.push_back(i); }));
  }
  const SampleBatch batch = module.SyntheticBatch(kTracedBatch, request.seed);
  OperatorRecorder recorder(parameters, kTracedBatch);
  const at::Tensor loss = module.Loss(batch);
  for (Layer& layer : recorder.Stop()) table.layers.push_back(std::move(layer));
  table.output = table.layers.size() - 1;
  if (loss.requires_grad()) loss.backward();

  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i].remove_hook(hooks[i]);
    if (!parameters[i].grad().defined()) {
      throw UsageError(
          fmt::format("the parameter '{}' of '{}' takes no part in the loss", names[i], request.file),
          "set its requires_grad to False before scripting, or use it in forward");
    }
    parameters[i].mutable_grad().reset();
  }
  const at::NoGradGuard no_grad;
  const std::vector<at::Tensor> buffers = module.Buffers();
  for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i].copy_(kept[i]);
  return table;
}

}  // namespace

TorchscriptNetwork MakeTorchscriptModule(const TorchscriptRequest& request) {
  auto module = std::make_unique<TorchscriptModule>(request);
  Network table = Observe(request, *module);
  return {std::move(module), std::move(table)};
}

}  // namespace stallscope
