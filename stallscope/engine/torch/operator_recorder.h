#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "stallscope/network/network.h"

namespace stallscope {

/// Writes down the operators that this thread runs while it lives: convolutions, matrix products and
/// embeddings as layers with their work, all others by the memory of their results.
class OperatorRecorder {
 public:
  /// A matrix product with one of `parameters` counts as a linear layer; figures are divided by `batch`.
  OperatorRecorder(const std::vector<at::Tensor>& parameters, int batch);
  ~OperatorRecorder();
  OperatorRecorder(const OperatorRecorder&) = delete;
  OperatorRecorder& operator=(const OperatorRecorder&) = delete;

  /// Ends the recording.
  std::vector<Layer> Stop();

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace stallscope
