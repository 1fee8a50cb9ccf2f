#include "stallscope/predict/gpu_links.h"

#include <algorithm>
#include <cmath>

namespace stallscope {
namespace {

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

/// The hybrid cube gives a GPU six NVLinks, at most two to one neighbour and four within its half of four.
double HybridCubeShare(int gpus) {
  return gpus <= 2 ? 2.0 / 6 : gpus <= 4 ? 4.0 / 6 : 1;
}

/// The first generation's cube: four links, each to another neighbour, three of them within the half.
double FirstCubeShare(int gpus) {
  return gpus <= 2 ? 1.0 / 4 : gpus <= 4 ? 3.0 / 4 : 1;
}

/// A mesh of eight: a link to each of the others.
double MeshShare(int gpus) {
  return std::min(1.0, (gpus - 1) / 7.0);
}

/// Half a board: its weakest pairs have one of six links left, and a ring of four has to cross them.
double SlicedShare(int gpus) {
  return gpus <= 2 ? 2.0 / 6 : 3.0 / 6;
}

/// All links of a GPU of the first two generations, one direction, where the GPU itself is not known.
constexpr double kNvlink1 = 80e9;
constexpr double kNvlink2 = 150e9;
/// Bridges of Turing, Ampere workstation and data-centre cards, one direction.
constexpr double kTuringBridge = 50e9;
constexpr double kAmpereBridge = 56.25e9;
constexpr double kDataCentreBridge = 300e9;

InsideLink Nvlink(double rate, double pcie) {
  return {InsideKind::kNvlink, {rate}, {pcie}};
}

/// GeForce drivers from the 30 series on refuse peer access over PCIe.
bool DriverRefusesPeers(std::string_view gpu) {
  return gpu.starts_with("RTX-30") || gpu.starts_with("RTX-40") || gpu.starts_with("RTX-50");
}

/// Boards that carry two GPUs have one slot for both.
bool SharesItsSlot(std::string_view gpu) {
  return gpu == "K80" || gpu == "M60";
}

/// What machines with this GPU usually have.
InsideLink Usual(const GpuLinks& links, int gpus, double pcie) {
  if (links.nvlink) {
    const double share = links.switched                   ? 1
                         : links.nvlink->value < kNvlink2 ? FirstCubeShare(gpus)
                                                          : HybridCubeShare(gpus);
    return Nvlink(links.nvlink->value * share, pcie);
  }
  if (links.bridge && gpus == 2) return {InsideKind::kBridgeOrPcie, *links.bridge, {pcie}};
  if (!links.peer_over_pcie) return {InsideKind::kHostStaged, {}, {pcie}};
  return {InsideKind::kPcie, {}, {pcie}};
}

/// A link that was named.
std::optional<InsideLink> Named(std::string_view words, const GpuLinks& links, int gpus, double pcie) {
  if (words == "host") return InsideLink{InsideKind::kHostStaged, {}, {pcie}};
  if (words.starts_with("pcie")) return InsideLink{InsideKind::kPcie, {}, {pcie}};
  if (Contains(words, "bridge")) {
    // Pairs have a bridge; a ring of more crosses PCIe between them.
    if (gpus > 2) return InsideLink{InsideKind::kPcie, {}, {pcie}};
    return Nvlink(links.bridge ? links.bridge->value : kTuringBridge, pcie);
  }
  const bool first = Contains(words, "nvlink1");
  const double rate = links.nvlink ? links.nvlink->value : first ? kNvlink1 : kNvlink2;
  if (Contains(words, "fabric")) return Nvlink(rate * MeshShare(gpus), pcie);
  if (Contains(words, "nvswitch")) return Nvlink(rate, pcie);
  if (!Contains(words, "nvlink")) return std::nullopt;
  if (Contains(words, "sliced")) return Nvlink(rate * SlicedShare(gpus), pcie);
  if (first) return Nvlink(rate * FirstCubeShare(gpus), pcie);
  const bool cube = Contains(words, "hybrid-cube") || (words == "nvlink2" && !links.switched);
  return Nvlink(rate * (cube ? HybridCubeShare(gpus) : 1), pcie);
}

}  // namespace

BytesPerSecond PcieRate(int generation) {
  return {15.75e9 * std::exp2(std::max(0, generation - 3))};
}

GpuLinks LinksOf(const Gpu& gpu) {
  GpuLinks links;
  links.nvlink = gpu.nvlink_one_way;
  // Modules of the last generations are not in the PCIe column; their boards have slots of the fifth.
  links.pcie_generation = gpu.pcie_generation.value_or(gpu.nvlink_one_way ? 5 : 3);
  links.switched = gpu.nvlink != "1" && gpu.nvlink != "2";
  if (gpu.nvlink == "bridge") links.bridge = {links.pcie_generation > 3 ? kAmpereBridge : kTuringBridge};
  if (gpu.nvlink.ends_with("-bridge")) links.bridge = {kDataCentreBridge};
  links.peer_over_pcie = !DriverRefusesPeers(gpu.name);
  return links;
}

InsideChoice InsideLinkOf(const InsideDescription& inside) {
  const GpuLinks links = inside.gpu ? LinksOf(*inside.gpu) : GpuLinks{};
  double pcie = PcieRate(links.pcie_generation).value;
  if (inside.gpu && SharesItsSlot(inside.gpu->name)) pcie /= 2;
  // Cloud machines run some GPUs at fewer lanes than they have.
  if (inside.machine && inside.machine->pcie_width) pcie *= *inside.machine->pcie_width / 16.0;
  if (inside.gpus <= 1) return {{InsideKind::kNone, {}, {pcie}}, false};
  if (const auto link = Named(inside.interconnect, links, inside.gpus, pcie)) {
    const bool rate_unknown =
        link->kind == InsideKind::kNvlink ? !links.nvlink && !links.bridge : !inside.gpu;
    return {*link, rate_unknown && link->kind != InsideKind::kHostStaged};
  }
  if (inside.machine) {
    // Half a board is named by its topology.
    const bool sliced = Contains(inside.machine->topology, "half") && !links.switched;
    const auto link =
        Named(sliced ? "nvlink2-sliced" : inside.machine->interconnect, links, inside.gpus, pcie);
    if (link) return {*link, false};
  }
  return {Usual(links, inside.gpus, pcie), true};
}

}  // namespace stallscope
