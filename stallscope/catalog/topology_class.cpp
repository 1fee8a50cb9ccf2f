#include <fmt/format.h>

#include <algorithm>

#include "stallscope/catalog/topology.h"

namespace stallscope {
namespace {

constexpr int kUsualLanes = 16;
/// One QPI link of 9.6 GT/s and two bytes, the least that machines with two sockets have.
constexpr BytesPerSecond kSocket{19.2e9};

class Builder {
 public:
  explicit Builder(const Machine& machine) {
    topology_.name = machine.name;
    topology_.by_class = true;
    topology_.provenance = machine.provenance;
  }

  int Add(NodeKind kind, const char* word, int number) {
    topology_.nodes.push_back({kind, fmt::format("{}{}", word, number)});
    return static_cast<int>(topology_.nodes.size()) - 1;
  }

  void Connect(int from, int to, EdgeKind kind, int links, std::optional<BytesPerSecond> rate) {
    topology_.edges.push_back({from, to, kind, links, rate});
  }

  MachineTopology Done() && { return std::move(topology_); }

 private:
  MachineTopology topology_;
};

bool Contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

enum class Between { kHost, kSwitch, kUnknown };

/// How GPUs of one machine reach each other, from the interconnect's name or else the GPU's.
Between BetweenGpus(const Machine& machine, const Gpu* gpu) {
  const std::string& said = machine.interconnect;
  if (machine.gpus <= 1 || said == "single" || said.starts_with("pcie")) return Between::kHost;
  for (const char* word : {"nvswitch", "full mesh", "NVL72", "infinity-fabric"}) {
    if (Contains(said, word)) return Between::kSwitch;
  }
  if (!said.empty() || gpu == nullptr) return Between::kUnknown;
  if (gpu->nvlink == "none") return Between::kHost;
  // From the third generation on, modules sit on boards with NVSwitches.
  const bool switched = gpu->nvlink == "3" || gpu->nvlink == "4" || gpu->nvlink == "5";
  return switched ? Between::kSwitch : Between::kUnknown;
}

}  // namespace

std::optional<MachineTopology> TopologyByClass(const Machine& machine, const Gpu* gpu) {
  const int gpus = static_cast<int>(machine.gpus);
  const Between between = BetweenGpus(machine, gpu);
  if (gpus < 1 || between == Between::kUnknown) return std::nullopt;
  std::optional<int> generation = machine.pcie_generation;
  if (!generation && gpu != nullptr) generation = gpu->pcie_generation;
  const int lanes = machine.pcie_width.value_or(kUsualLanes);
  const auto pcie = generation ? PcieRate(*generation, lanes) : std::nullopt;
  const auto nic_pcie = generation ? PcieRate(*generation, kUsualLanes) : std::nullopt;

  Builder builder(machine);
  for (int i = 0; i < gpus; ++i) builder.Add(NodeKind::kGpu, "gpu", i);
  const int nics = machine.fabric && machine.fabric->nics ? *machine.fabric->nics : 1;
  for (int i = 0; i < nics; ++i) builder.Add(NodeKind::kNic, "nic", i);
  const int hosts = std::clamp(machine.numa_nodes.value_or(1), 1, gpus);
  const int first_host = gpus + nics;
  for (int i = 0; i < hosts; ++i) builder.Add(NodeKind::kHost, "host", i);
  for (int i = 0; i < gpus; ++i)
    builder.Connect(i, first_host + i * hosts / gpus, EdgeKind::kPcie, lanes, pcie);
  for (int i = 0; i < nics; ++i)
    builder.Connect(gpus + i, first_host + i * hosts / nics, EdgeKind::kPcie, kUsualLanes, nic_pcie);
  for (int i = 1; i < hosts; ++i)
    builder.Connect(first_host + i - 1, first_host + i, EdgeKind::kSocket, 1, kSocket);
  if (between == Between::kSwitch) {
    auto rate = machine.interconnect_one_way;
    if (!rate && gpu != nullptr) rate = gpu->nvlink_one_way;
    const int middle = builder.Add(NodeKind::kNvSwitch, "nvswitch", 0);
    for (int i = 0; i < gpus; ++i) builder.Connect(i, middle, EdgeKind::kNvlink, 1, rate);
  }
  return std::move(builder).Done();
}

}  // namespace stallscope
