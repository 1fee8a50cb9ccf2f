#pragma once

#include <optional>
#include <string>

#include "stallscope/predict/training_prediction.h"

namespace stallscope {

/// What `predict` is asked to change about machines.
struct WhatIf {
  std::optional<BytesPerSecond> bandwidth;  ///< of a machine's network, one way
  std::string gpu;                          ///< a name of the catalog; empty: as it is
  std::optional<int> workers;               ///< of the loader, per GPU

  bool Any() const { return bandwidth || !gpu.empty() || workers; }
};

/// "25 Gbit between machines and A100-SXM4-40GB GPUs".
std::string Describe(const WhatIf& what_if);

/// The machine with the change. Another GPU brings its own links, as machines with it usually have them where
/// they fit the machine's; processors, network and disks stay.
Machine Changed(const Machine& machine, const WhatIf& what_if);

/// changed / plain - 1 of the step, with what both predictions share left out of the interval. Another GPU's
/// compute time shares nothing with the first one's. A faster or slower network alone, and more or fewer
/// workers alone, work in one direction whatever is uncertain: the interval ends at no change.
Estimate StepTimeChange(const TrainingPrediction& plain, const TrainingPrediction& changed,
                        const WhatIf& what_if);

}  // namespace stallscope
