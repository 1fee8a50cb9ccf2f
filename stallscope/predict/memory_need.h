#pragma once

#include <optional>

#include "stallscope/network/network.h"
#include "stallscope/predict/workload.h"

namespace stallscope {

/// What a GPU must hold to train a batch, in bytes.
struct MemoryNeed {
  double state = 0;        ///< weights, gradients, the optimiser's slots, copies for amp, running statistics
  double activations = 0;  ///< what the backward pass reads of the forward pass
  double workspace = 0;    ///< of operators: the largest layer's operands once more
  double context = 0;      ///< the CUDA context and the libraries' handles
  double Total() const { return state + activations + workspace + context; }
  /// What no stack that keeps activations can do without: a batch is refused only where even this does not
  /// fit.
  double least = 0;
};

/// `optimizer_slots`: 1 with momentum, 2 with Adam.
MemoryNeed MemoryNeeded(const Network& network, const Workload& workload, int optimizer_slots);

/// Image networks are trained with momentum, networks with attention with Adam.
int UsualOptimizerSlots(const Network& network);

/// Memory is sold in binary gigabytes under a decimal name: "16 GB" hold 16 GiB. In bytes.
double Capacity(Bytes memory);

/// The largest batch whose `least` fits; nothing where not even one sample does.
std::optional<int> LargestBatch(const Network& network, const Workload& workload, int optimizer_slots,
                                Bytes memory);

/// Throws Error with the need, the GPU's memory and the largest batch where the batch cannot fit. A GPU whose
/// memory is not known takes every batch.
void RequireFits(const Network& network, const Workload& workload, int optimizer_slots, const GpuSpeed& gpu);

}  // namespace stallscope
