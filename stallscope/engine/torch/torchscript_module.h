#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stallscope/engine/torch/trainable_network.h"
#include "stallscope/network/network.h"

namespace stallscope {

/// A scripted network and what it is trained on. Loading such a file runs the code inside it.
struct TorchscriptRequest {
  std::string file;
  SampleKind sample_kind = SampleKind::kImage;
  std::vector<std::int64_t> sample_shape;  ///< {3, 224, 224}, or {tokens}
  int classes = 1000;  ///< the width of the output; for a language model that of its vocabulary
  int vocabulary = 0;  ///< tokens are drawn below this; 0 for images
  std::uint64_t seed = 0;
};

struct TorchscriptNetwork {
  std::unique_ptr<TrainableNetwork> module;
  /// Observed in one training step: the operators with work or weights, all parameters, their readiness.
  Network table;
};

/// Throws UsageError where the file is no TorchScript, has nothing to train or does not fit the request.
TorchscriptNetwork MakeTorchscriptModule(const TorchscriptRequest& request);

}  // namespace stallscope
