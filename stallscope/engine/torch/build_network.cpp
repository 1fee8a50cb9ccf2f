#include "stallscope/engine/torch/build_network.h"

#include <torch/version.h>

#include "stallscope/engine/torch/bf16_kernels.h"
#include "stallscope/engine/torch/network_module.h"
#include "stallscope/engine/torch/torchscript_module.h"
#include "stallscope/network/network.h"

namespace stallscope {
namespace {

WorkloadFacts FactsOf(const Network& network) {
  const NetworkTotals totals = Totals(network);
  WorkloadFacts facts{.torch_version = TORCH_VERSION,
                      .model = network.name,
                      .parameters = totals.parameters,
                      .gradient_tensors = totals.gradient_tensors,
                      .gradient_bytes = totals.gradient_bytes,
                      .layers = totals.layers,
                      .forward_macs = totals.forward_macs};
  if (network.sample_kind == SampleKind::kTokens) {
    facts.sequence_length = network.sample_shape.at(0);
  } else {
    facts.image_size = network.sample_shape.back();
  }
  return facts;
}

TorchscriptRequest RequestOf(const TrainingConfig& config) {
  const TorchscriptConfig& script = config.torchscript.value();
  return {.file = script.file,
          .sample_kind = script.vocabulary ? SampleKind::kTokens : SampleKind::kImage,
          .sample_shape = script.sample_shape,
          .classes = script.classes,
          .vocabulary = script.vocabulary.value_or(0),
          .seed = config.seed};
}

}  // namespace

BuiltNetwork BuildForTraining(const TrainingConfig& config) {
  if (config.dtype == "bf16") AvoidAmxKernels();
  if (config.torchscript) {
    TorchscriptNetwork script = MakeTorchscriptModule(RequestOf(config));
    return {.module = std::move(script.module), .facts = FactsOf(script.table)};
  }
  const NetworkOptions options{
      .image_size = config.image_size, .sequence_length = config.sequence_length, .classes = config.classes};
  const Network network = BuildNetwork(config.model, options);
  return {.module = MakeNetworkModule(network, config.seed), .facts = FactsOf(network)};
}

}  // namespace stallscope
