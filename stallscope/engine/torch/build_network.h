#pragma once

#include <memory>

#include "stallscope/engine/messages.h"
#include "stallscope/engine/torch/trainable_network.h"

namespace stallscope {

struct BuiltNetwork {
  std::unique_ptr<TrainableNetwork> module;
  WorkloadFacts facts;
};

/// What the configuration asks for: a network of the zoo, or a TorchScript file.
BuiltNetwork BuildForTraining(const TrainingConfig& config);

}  // namespace stallscope
