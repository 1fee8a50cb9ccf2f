#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace stallscope {

struct SampleBatch {
  at::Tensor inputs;   ///< images as floats, or tokens as 64-bit integers
  at::Tensor targets;  ///< a class per sample; a language model takes its targets from the inputs
};

/// What a training step needs of a network, whether it comes from the zoo or from a TorchScript file.
class TrainableNetwork {
 public:
  virtual ~TrainableNetwork() = default;

  /// Forward pass and loss; the result is a scalar that backward() starts from.
  virtual at::Tensor Loss(const SampleBatch& batch) = 0;
  /// Leaves that require gradients, in registration order.
  virtual std::vector<at::Tensor> Parameters() = 0;
  virtual std::vector<std::string> ParameterNames() = 0;
  /// Running statistics and their counters, in registration order.
  virtual std::vector<at::Tensor> Buffers() = 0;
  /// Random samples of the network's own kind; the same seed gives the same batch.
  virtual SampleBatch SyntheticBatch(int batch, std::uint64_t seed) = 0;
  virtual void SetTraining(bool training) = 0;
};

}  // namespace stallscope
