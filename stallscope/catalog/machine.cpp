#include "stallscope/catalog/machine.h"

#include <algorithm>

#include "stallscope/catalog/gpu.h"

namespace stallscope {

std::optional<BytesPerSecond> SustainedNetwork(const Machine& machine) {
  const bool holds = machine.burst == NetworkBurst::kNone || !machine.network_baseline;
  return holds && machine.network_ceiling ? machine.network_ceiling : machine.network_baseline;
}

std::optional<BytesPerSecond> SustainedDisk(const Machine& machine) {
  return machine.disk_baseline ? machine.disk_baseline : machine.disk_ceiling;
}

std::optional<Bytes> MemoryPerGpu(const Machine& machine, const Gpu* gpu) {
  std::optional<Bytes> memory = machine.gpu_memory;
  if (!memory && gpu != nullptr) memory = gpu->memory;
  // A slice of a GPU has that share of its memory.
  if (memory) memory->value *= std::min(1.0, machine.gpus);
  return memory;
}

std::string FullName(const Machine& machine) {
  return machine.provider + "/" + machine.name;
}

}  // namespace stallscope
