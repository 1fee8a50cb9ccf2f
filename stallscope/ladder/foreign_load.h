#pragma once

#include "stallscope/engine/block.h"
#include "stallscope/machine/foreign_watch.h"

namespace stallscope {

/// A round with more foreign load than this share of one core is polluted.
inline constexpr double kForeignShareOfOneCore = 0.15;

/// CPU time that others took from a machine during a block.
struct ForeignLoad {
  double seconds =
      0;  ///< of the worst machine: busy - its ranks' CPU time + steal; noise may make it negative
  bool polluted = false;
};

/// Every machine is judged by its first rank's numbers, over that rank's own wall time. `one_host` says
/// that all ranks share one machine, whatever node they claim.
ForeignLoad ForeignLoadOf(const BlockResult& block, int cores_per_machine, bool one_host);

}  // namespace stallscope
