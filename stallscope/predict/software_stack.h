#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stallscope {

/// How many passes over memory the layers between the matrix products cost.
enum class Fusion {
  kKernels,   ///< one hand-written kernel a layer: PyTorch, MXNet, OneFlow
  kUnfused,   ///< a GELU or a norm is a chain of small kernels: TensorFlow without XLA
  kCompiled,  ///< neighbouring layers are merged: XLA, graph kernel fusion
};

/// The software that a rate was measured with, as far as it changes the rate: published rates of one network
/// on one GPU differ by up to 2.9x between stacks.
struct SoftwareStack {
  std::string family = "pytorch";
  Fusion fusion = Fusion::kKernels;
  /// Tensor cores want channels last; in the other order every convolution transposes its operands.
  bool channels_last = false;
  std::optional<int> year;
};

/// From what a table or a user says of the software: "PyTorch 2.3 channels-last", "TensorFlow 1.15
/// NGC 20.03". `remarks` may say "with xla" or "without xla"; `origin` is where the rate was published:
/// NVIDIA's own recipes train image networks channels last. Without a known name the family is "other".
SoftwareStack ParseStack(std::string_view framework, std::string_view remarks = {},
                         std::string_view origin = {}, std::optional<int> year = {});

/// "pytorch, channels last, 2022".
std::string Describe(const SoftwareStack& stack);

/// "kernels", "unfused", "compiled".
std::string FusionName(Fusion fusion);
std::optional<Fusion> ParseFusion(std::string_view name);

}  // namespace stallscope
