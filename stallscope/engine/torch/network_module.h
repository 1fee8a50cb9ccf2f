#pragma once

#include <ATen/core/Generator.h>

#include <functional>
#include <memory>
#include <optional>

#include "stallscope/engine/torch/trainable_network.h"
#include "stallscope/network/network.h"

namespace stallscope {

struct NetworkOutputs {
  at::Tensor main;
  at::Tensor auxiliary;  ///< undefined where the network has one classifier
};

/// Runs a table of layers: one torch call per layer, each activation dropped after its last use.
class NetworkModule : public TrainableNetwork {
 public:
  /// Sees every layer's output while it is fresh; for tests of the table.
  using Observer = std::function<void(std::size_t layer, const at::Tensor& output)>;

  NetworkModule(Network network, std::uint64_t seed);

  at::Tensor Loss(const SampleBatch& batch) override;
  std::vector<at::Tensor> Parameters() override { return parameters_; }
  std::vector<std::string> ParameterNames() override;
  std::vector<at::Tensor> Buffers() override { return buffers_; }
  SampleBatch SyntheticBatch(int batch, std::uint64_t seed) override;
  void SetTraining(bool training) override { training_ = training; }

  NetworkOutputs Forward(const at::Tensor& inputs);
  void SetObserver(Observer observer) { observer_ = std::move(observer); }

 private:
  /// A layer with its tensors at hand.
  struct Node {
    Layer layer;
    at::Tensor weight;
    at::Tensor bias;
    at::Tensor running_mean;
    at::Tensor running_var;
    at::Tensor batches_tracked;
    /// Constants that belong to no state: the causal mask, the rotation tables, a fixed projection.
    at::Tensor mask;
    at::Tensor cosine;
    at::Tensor sine;
    /// Layers whose activations nobody reads after this one.
    std::vector<std::size_t> dead_after;
  };

  void AddNode(const Layer& layer, const at::Generator& generator);
  void AddConstants(Node& node) const;
  void PlanLifetimes();
  at::Tensor Run(Node& node, const std::vector<at::Tensor>& values, const at::Tensor& inputs) const;
  at::Tensor RunNorm(Node& node, const at::Tensor& x) const;
  at::Tensor RunAttention(const Node& node, const std::vector<at::Tensor>& values) const;

  Network network_;
  std::vector<Node> nodes_;
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> buffers_;
  Observer observer_;
  bool training_ = true;
};

/// The module of a table; the same seed gives the same weights on every rank.
std::unique_ptr<TrainableNetwork> MakeNetworkModule(const Network& network, std::uint64_t seed);

}  // namespace stallscope
