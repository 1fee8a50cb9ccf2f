#pragma once

#include <torch/optim.h>

#include <memory>
#include <string>
#include <vector>

namespace stallscope {

std::unique_ptr<torch::optim::Optimizer> MakeOptimizer(const std::string& name,
                                                       const std::vector<at::Tensor>& parameters);

/// Parameters, buffers and optimiser state as they were, to be put back after steps that must not count:
/// without synchronisation the ranks drift apart.
class TrainingSnapshot {
 public:
  TrainingSnapshot(const std::vector<at::Tensor>& parameters, const std::vector<at::Tensor>& buffers,
                   const torch::optim::Optimizer& optimizer);
  void Restore(const std::vector<at::Tensor>& parameters, const std::vector<at::Tensor>& buffers,
               torch::optim::Optimizer& optimizer) const;

 private:
  using States = ska::flat_hash_map<std::string, std::unique_ptr<torch::optim::OptimizerParamState>>;
  static States Copy(const States& states);

  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> buffers_;
  States states_;
};

}  // namespace stallscope
