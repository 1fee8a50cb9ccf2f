#include "stallscope/predict/gpu_links.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stallscope {
namespace {

struct NamedLinks {
  std::string_view gpu;  ///< the beginning of its name
  int pcie_generation;
  double nvlink_gbs;  ///< one direction
  double bridge_gbs;
  bool switched;
  bool peer_over_pcie;
};

/// From ../shared/data/catalog/gpus.csv; vendors print both directions together. GeForce drivers from the 30
/// series on refuse peer access over PCIe. The first that fits is taken.
constexpr std::array kGpus = {
    NamedLinks{"K80", 3, 0, 0, false, true},
    NamedLinks{"M60", 3, 0, 0, false, true},
    NamedLinks{"P4", 3, 0, 0, false, true},
    NamedLinks{"P100-SXM2", 3, 80, 0, false, true},
    NamedLinks{"P100", 3, 0, 0, false, true},
    NamedLinks{"V100-SXM3", 3, 150, 0, true, true},
    NamedLinks{"V100-SXM2", 3, 150, 0, false, true},
    NamedLinks{"V100", 3, 0, 0, false, true},
    NamedLinks{"T4", 3, 0, 0, false, true},
    NamedLinks{"A100-SXM", 4, 300, 0, true, true},
    NamedLinks{"A100-PCIE-40GB", 4, 0, 0, false, true},
    NamedLinks{"A100-PCIE", 4, 0, 300, false, true},
    NamedLinks{"A10", 4, 0, 0, false, true},
    NamedLinks{"L4", 4, 0, 0, false, true},
    NamedLinks{"H100-SXM", 5, 450, 0, true, true},
    NamedLinks{"H100-NVL", 5, 0, 300, false, true},
    NamedLinks{"H100-PCIE", 5, 0, 0, false, true},
    NamedLinks{"H200-SXM", 5, 450, 0, true, true},
    NamedLinks{"GH200", 5, 450, 0, true, true},
    NamedLinks{"B200", 5, 900, 0, true, true},
    NamedLinks{"B300", 5, 900, 0, true, true},
    NamedLinks{"GB200", 5, 900, 0, true, true},
    NamedLinks{"MI300X", 5, 448, 0, true, true},
    NamedLinks{"RTX-2080", 3, 0, 50, false, true},
    NamedLinks{"RTX-3090", 4, 0, 56.25, false, false},
    NamedLinks{"RTX-30", 4, 0, 0, false, false},
    NamedLinks{"RTX-40", 4, 0, 0, false, false},
    NamedLinks{"RTX-6000-Ada", 4, 0, 0, false, true},
    NamedLinks{"RTX-6000", 3, 0, 50, false, true},
    NamedLinks{"RTX-8000", 3, 0, 50, false, true},
    NamedLinks{"RTX-A4000", 4, 0, 0, false, true},
    NamedLinks{"RTX-A", 4, 0, 56.25, false, true},
    NamedLinks{"RTX-PRO", 5, 0, 0, false, true},
    NamedLinks{"A40", 4, 0, 56.25, false, true},
};

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

/// The hybrid cube gives a GPU six NVLinks, at most two to one neighbour and four within its half of four.
double HybridCubeShare(int gpus) {
  return gpus <= 2 ? 2.0 / 6 : gpus <= 4 ? 4.0 / 6 : 1;
}

/// Half a board: the weakest pairs have one of six links left, and a ring of four has two of them.
double SlicedShare(int gpus) {
  return gpus <= 2 ? 2.0 / 6 : 3.0 / 6;
}

InsideLink Nvlink(double rate, double pcie) {
  return {InsideKind::kNvlink, {rate}, {pcie}};
}

/// What machines with this GPU usually have.
InsideLink Usual(const GpuLinks& links, int gpus) {
  const double pcie = PcieRate(links.pcie_generation).value;
  if (links.nvlink) {
    return Nvlink(links.nvlink->value * (links.switched ? 1 : HybridCubeShare(gpus)), pcie);
  }
  if (links.bridge && gpus == 2) return {InsideKind::kBridgeOrPcie, *links.bridge, {pcie}};
  if (!links.peer_over_pcie) return {InsideKind::kHostStaged, {}, {pcie}};
  return {InsideKind::kPcie, {}, {pcie}};
}

/// One direction of one link of a generation of NVLink, times six for the second.
constexpr double kNvlink1 = 80e9;
constexpr double kNvlink2 = 150e9;

}  // namespace

BytesPerSecond PcieRate(int generation) {
  return {15.75e9 * std::exp2(std::max(0, generation - 3))};
}

std::optional<GpuLinks> LinksOf(std::string_view gpu) {
  for (const NamedLinks& named : kGpus) {
    if (!gpu.starts_with(named.gpu)) continue;
    GpuLinks links{.pcie_generation = named.pcie_generation,
                   .switched = named.switched,
                   .peer_over_pcie = named.peer_over_pcie};
    if (named.nvlink_gbs > 0) links.nvlink = BytesPerSecond{named.nvlink_gbs * 1e9};
    if (named.bridge_gbs > 0) links.bridge = BytesPerSecond{named.bridge_gbs * 1e9};
    return links;
  }
  return std::nullopt;
}

InsideChoice InsideLinkOf(std::string_view interconnect, std::string_view gpu, int gpus) {
  const std::optional<GpuLinks> found = LinksOf(gpu);
  const GpuLinks links = found.value_or(GpuLinks{});
  const double pcie = PcieRate(links.pcie_generation).value;
  if (gpus <= 1) return {{InsideKind::kNone, {}, {pcie}}, false};
  const bool nvlink_named = Contains(interconnect, "nvlink") || Contains(interconnect, "nvswitch");
  // A word for NVLink says more than a GPU that nobody described; without either, the second generation.
  const double nvlink = links.nvlink                        ? links.nvlink->value
                        : Contains(interconnect, "nvlink1") ? kNvlink1
                                                            : kNvlink2;
  const bool nvlink_assumed = nvlink_named && !links.nvlink;
  if (interconnect == "host") return {{InsideKind::kHostStaged, {}, {pcie}}, false};
  if (interconnect.starts_with("pcie")) return {{InsideKind::kPcie, {}, {pcie}}, !found};
  if (Contains(interconnect, "bridge")) {
    // Pairs have a bridge; a ring of more crosses PCIe between them.
    if (gpus > 2) return {{InsideKind::kPcie, {}, {pcie}}, !found};
    return {Nvlink(links.bridge ? links.bridge->value : 50e9, pcie), !links.bridge};
  }
  if (Contains(interconnect, "hybrid-cube")) {
    return {Nvlink(nvlink * HybridCubeShare(gpus), pcie), nvlink_assumed};
  }
  if (Contains(interconnect, "sliced")) return {Nvlink(nvlink * SlicedShare(gpus), pcie), nvlink_assumed};
  if (nvlink_named) return {Nvlink(nvlink, pcie), nvlink_assumed};
  return {Usual(links, gpus), true};
}

}  // namespace stallscope
