#pragma once

#include "stallscope/network/network.h"

namespace stallscope {

/// Elements of one sample that a layer moves through the GPU's memory in a training step, forward and
/// backward, when every layer is one kernel a direction. Counted by hand from what each kernel reads and
/// writes; parameters are not among them, they are read once for the whole batch.
struct LayerTraffic {
  double products = 0;  ///< operands and results of convolutions, linear layers and attention's products
  double others = 0;    ///< norms, activations, pools, sums, masks
  /// How many times as much `others` is where the stack makes it of elementary kernels.
  double unfused_factor = 1;
  double kernels = 0;
};

LayerTraffic TrafficOf(const Network& network, const Layer& layer);

}  // namespace stallscope
