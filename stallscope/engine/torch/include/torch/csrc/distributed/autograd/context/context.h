#pragma once
// Stand-in for a header that Debian's libtorch-dev does not ship: see ../README in the include folder.
// Reducer only names these types; we never create a distributed autograd context.

#include <ATen/ATen.h>

#include <functional>
#include <memory>

namespace torch {
namespace distributed {
namespace autograd {

class DistAutogradContext {
 public:
  using GradCallback = std::function<bool(at::Tensor&)>;
  void runGradCallbackForVariable(const at::Tensor& variable, GradCallback&& callback);
};

using ContextPtr = std::shared_ptr<DistAutogradContext>;

}  // namespace autograd
}  // namespace distributed
}  // namespace torch
