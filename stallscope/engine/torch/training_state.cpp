#include "stallscope/engine/torch/training_state.h"

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

// Small enough that a fixed synthetic batch is not learnt by heart within a profile's few hundred steps.
constexpr double kSgdRate = 0.001;
constexpr double kMomentum = 0.9;
constexpr double kAdamRate = 1e-4;

std::vector<at::Tensor> Clones(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> copies;
  copies.reserve(tensors.size());
  for (const at::Tensor& tensor : tensors) copies.push_back(tensor.detach().clone());
  return copies;
}

void CopyInto(const std::vector<at::Tensor>& from, const std::vector<at::Tensor>& to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i].detach().copy_(from[i]);
}

at::Tensor Clone(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.detach().clone() : tensor;
}

}  // namespace

std::unique_ptr<torch::optim::Optimizer> MakeOptimizer(const std::string& name,
                                                       const std::vector<at::Tensor>& parameters) {
  if (name == "sgd") {
    return std::make_unique<torch::optim::SGD>(parameters,
                                               torch::optim::SGDOptions(kSgdRate).momentum(kMomentum));
  }
  if (name == "adamw") {
    return std::make_unique<torch::optim::AdamW>(parameters, torch::optim::AdamWOptions(kAdamRate));
  }
  throw UsageError("unknown optimizer '" + name + "'", "choose --optimizer sgd or --optimizer adamw");
}

TrainingSnapshot::TrainingSnapshot(const std::vector<at::Tensor>& parameters,
                                   const std::vector<at::Tensor>& buffers,
                                   const torch::optim::Optimizer& optimizer)
    : parameters_(Clones(parameters)), buffers_(Clones(buffers)), states_(Copy(optimizer.state())) {}

void TrainingSnapshot::Restore(const std::vector<at::Tensor>& parameters,
                               const std::vector<at::Tensor>& buffers,
                               torch::optim::Optimizer& optimizer) const {
  CopyInto(parameters_, parameters);
  CopyInto(buffers_, buffers);
  optimizer.state() = Copy(states_);
}

TrainingSnapshot::States TrainingSnapshot::Copy(const States& states) {
  States copies;
  for (const auto& [key, state] : states) {
    // clone() shares the tensors, so each kind's are copied by name.
    std::unique_ptr<torch::optim::OptimizerParamState> copy = state->clone();
    if (auto* sgd = dynamic_cast<torch::optim::SGDParamState*>(copy.get())) {
      sgd->momentum_buffer(Clone(sgd->momentum_buffer()));
    } else if (auto* adamw = dynamic_cast<torch::optim::AdamWParamState*>(copy.get())) {
      adamw->exp_avg(Clone(adamw->exp_avg()));
      adamw->exp_avg_sq(Clone(adamw->exp_avg_sq()));
      adamw->max_exp_avg_sq(Clone(adamw->max_exp_avg_sq()));
    } else {
      throw Error("cannot copy the state of this optimizer", "use --optimizer sgd or adamw");
    }
    copies[key] = std::move(copy);
  }
  return copies;
}

}  // namespace stallscope
