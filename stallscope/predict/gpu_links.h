#pragma once

#include <optional>
#include <string_view>

#include "stallscope/base/units.h"
#include "stallscope/catalog/gpu.h"
#include "stallscope/catalog/machine.h"
#include "stallscope/predict/scaling_model.h"

namespace stallscope {

/// How a GPU can be linked to its neighbours.
struct GpuLinks {
  int pcie_generation = 3;
  /// All NVLinks together, one direction; none where it has no NVLink or only a bridge to one neighbour.
  std::optional<BytesPerSecond> nvlink;
  std::optional<BytesPerSecond> bridge;  ///< to one neighbour, where a bridge can be bought
  bool switched = false;                 ///< machines of this GPU have NVLink switches, or a mesh as good
  bool peer_over_pcie = true;            ///< the driver lets neighbours read its memory
};

GpuLinks LinksOf(const Gpu& gpu);

/// One direction of a x16 slot: 15.75 GB/s for generation 3, and twice that for every one after it.
BytesPerSecond PcieRate(int generation);

struct InsideChoice {
  InsideLink link;
  bool assumed = false;  ///< the description left it open
};

/// What is said of a machine's inside. Null and empty: nothing is.
struct InsideDescription {
  std::string_view interconnect;  ///< the words of an `interconnect` column (docs/models.md)
  const Gpu* gpu = nullptr;
  const Machine* machine = nullptr;
  int gpus = 1;  ///< that take part
};

/// The link of neighbours: the column's words first, then the machine's, then what machines of this GPU have.
InsideChoice InsideLinkOf(const InsideDescription& inside);

}  // namespace stallscope
