#include "stallscope/catalog/machine_card_entry.h"

#include <algorithm>

#include "stallscope/document/machine_card.h"

namespace stallscope {
namespace {

std::optional<BytesPerSecond> NetworkOf(const MachineCard& card) {
  std::optional<BytesPerSecond> sum;
  for (const InterfaceFacts& interface : card.interfaces) {
    if (interface.is_virtual || interface.state != "up" || !interface.bytes_per_s) continue;
    sum = BytesPerSecond{(sum ? sum->value : 0) + *interface.bytes_per_s};
  }
  return sum;
}

/// "NVIDIA A100-SXM4-40GB" and "Tesla V100-SXM2-16GB" as the GPU table has them.
std::string GpuName(const std::string& driver_name) {
  std::string name = driver_name;
  for (const std::string prefix : {"NVIDIA ", "Tesla "}) {
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  }
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

}  // namespace

Machine MachineFromCard(const std::string& text, const std::string& source) {
  const MachineCard card = MachineCardFromJson(text, source);
  Machine machine{.provider = "own",
                  .name = card.host.name,
                  .vcpus = card.topology.threads,
                  .network_ceiling = NetworkOf(card),
                  .numa_nodes = card.topology.numa_nodes,
                  .availability = "own",
                  .provenance = {.file = source, .line = 1, .sources = {"machine card of " + card.created}}};
  machine.gpus = GpuCount(card).value_or(0);
  if (card.topology.memory_bytes) machine.memory = Bytes{static_cast<double>(*card.topology.memory_bytes)};
  for (const GpuFacts& gpu : card.gpus) {
    if (gpu.name) machine.gpu = GpuName(*gpu.name);
    if (gpu.name) machine.gpu_listed = *gpu.name;
    if (gpu.memory_bytes) machine.gpu_memory = Bytes{static_cast<double>(*gpu.memory_bytes)};
    if (gpu.pcie_width)
      machine.pcie_width = std::min(machine.pcie_width.value_or(*gpu.pcie_width), *gpu.pcie_width);
    if (gpu.pcie_generation_possible) machine.pcie_generation = gpu.pcie_generation_possible;
  }
  if (card.disk) {
    for (const DiskReads& reads : card.disk->reads) {
      // What files of some hundred kilobytes, read by several workers, come closest to.
      if (reads.pattern == "sequential" && reads.request_bytes == 1 << 20)
        machine.disk_ceiling = BytesPerSecond{reads.bytes_per_s.mean};
    }
  }
  if (card.cloud && card.cloud->instance)
    machine.provenance.note = "runs on " + card.cloud->provider + " " + *card.cloud->instance;
  return machine;
}

}  // namespace stallscope
