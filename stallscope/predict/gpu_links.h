#pragma once

#include <optional>
#include <string_view>

#include "stallscope/base/units.h"
#include "stallscope/predict/scaling_model.h"

namespace stallscope {

/// How a GPU can be linked to its neighbours.
struct GpuLinks {
  int pcie_generation = 3;
  /// All NVLinks together, one direction; none where it has no NVLink or only a bridge to one neighbour.
  std::optional<BytesPerSecond> nvlink;
  std::optional<BytesPerSecond> bridge;  ///< to one neighbour, where a bridge can be bought
  bool switched = false;                 ///< machines of this GPU have NVLink switches (or a mesh as good)
  bool peer_over_pcie = true;            ///< the driver lets neighbours read its memory
};

/// Nothing for a GPU that nobody described.
std::optional<GpuLinks> LinksOf(std::string_view gpu);

/// One direction of a x16 slot: 15.75 GB/s for generation 3, and twice that for every one after it.
BytesPerSecond PcieRate(int generation);

struct InsideChoice {
  InsideLink link;
  bool assumed = false;  ///< the description left it open
};

/// The link of `gpus` neighbours for the words of an `interconnect` column (docs/models.md); an empty text,
/// and one that nobody knows, is decided from the GPU.
InsideChoice InsideLinkOf(std::string_view interconnect, std::string_view gpu, int gpus);

}  // namespace stallscope
