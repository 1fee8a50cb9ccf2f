#include <fmt/format.h>

#include <algorithm>

#include "stallscope/document/machine_card.h"

namespace stallscope {
namespace {

constexpr std::int64_t kKibi = 1024;

std::string BinarySize(std::int64_t bytes) {
  if (bytes % (kKibi * kKibi) == 0) return fmt::format("{}MiB", bytes / (kKibi * kKibi));
  return bytes % kKibi == 0 ? fmt::format("{}KiB", bytes / kKibi) : fmt::format("{}B", bytes);
}

/// The least of what every GPU tells: one weak GPU holds up all. Nothing where one of them does not tell.
template <typename Get>
std::optional<double> LeastOfGpus(const std::vector<GpuFacts>& gpus, const Get& get) {
  std::optional<double> least;
  for (const GpuFacts& gpu : gpus) {
    const auto value = get(gpu);
    if (!value) return std::nullopt;
    least = std::min(least.value_or(static_cast<double>(*value)), static_cast<double>(*value));
  }
  return least;
}

std::optional<double> NetworkRate(const std::vector<InterfaceFacts>& interfaces) {
  std::optional<double> rate;
  for (const InterfaceFacts& interface : interfaces) {
    if (interface.is_virtual || interface.state != "up" || !interface.bytes_per_s) continue;
    rate = rate.value_or(0) + *interface.bytes_per_s;
  }
  return rate;
}

class Collector {
 public:
  template <typename Value>
  void Report(const char* name, const char* unit, const std::optional<Value>& value, const char* source) {
    if (!value) return;
    found_.push_back({name, unit, Exactly(static_cast<double>(*value)), true, kReported, source});
  }

  void Measure(const std::string& name, const char* unit, const Estimate& value, const std::string& source) {
    found_.push_back({name, unit, value, true, kMeasured, source});
  }

  std::vector<Quantity> found() { return std::move(found_); }

 private:
  std::vector<Quantity> found_;
};

}  // namespace

std::string DiskQuantityName(const std::string& pattern, std::int64_t request_bytes, int depth) {
  return fmt::format("disk.{}.{}.depth{}", pattern, BinarySize(request_bytes), depth);
}

std::optional<int> GpuCount(const MachineCard& card) {
  if (!card.gpus.empty()) return static_cast<int>(card.gpus.size());
  const auto& devices = card.topology.pci_devices;
  if (devices.empty()) return std::nullopt;
  return static_cast<int>(
      std::count_if(devices.begin(), devices.end(), [](const auto& device) { return device.kind == "gpu"; }));
}

std::vector<Quantity> QuantitiesOf(const MachineCard& card) {
  Collector collect;
  collect.Report("cores", "", card.topology.cores, "hwloc");
  collect.Report("threads", "", card.topology.threads, "hwloc");
  const auto memory = card.host.memory_bytes ? card.host.memory_bytes : card.topology.memory_bytes;
  collect.Report("memory_bytes", "B", memory, "the kernel");
  collect.Report("gpu.count", "", GpuCount(card), card.gpus.empty() ? "the PCI bus" : "the driver");
  const auto least = [&](const auto& get) { return LeastOfGpus(card.gpus, get); };
  collect.Report("gpu.memory_bytes", "B", least([](const GpuFacts& gpu) { return gpu.memory_bytes; }),
                 "the driver");
  collect.Report("gpu.pcie_width", "", least([](const GpuFacts& gpu) { return gpu.pcie_width; }),
                 "the driver");
  collect.Report("gpu.nvlinks", "", least([](const GpuFacts& gpu) -> std::optional<double> {
                   if (gpu.nvlinks.empty()) return std::nullopt;
                   const auto active = [](const NvLinkFacts& link) { return link.active; };
                   return std::count_if(gpu.nvlinks.begin(), gpu.nvlinks.end(), active);
                 }),
                 "the driver");
  collect.Report("network.rate", "B/s", NetworkRate(card.interfaces), "the driver");
  if (const auto& decode = card.decode) {
    const std::string images = fmt::format("JPEGs of {} x {}", decode->image_width, decode->image_height);
    collect.Measure("decode.one_core", "images/s", decode->one_core, images);
    collect.Measure("decode.all_cores", "images/s", decode->all_cores, images);
  }
  if (const auto& rates = card.memory) {
    collect.Measure("memory.triad.one_core", "B/s", rates->one_core.bytes_per_s, "STREAM's triad");
    collect.Measure("memory.triad.all_cores", "B/s", rates->all_cores.bytes_per_s, "STREAM's triad");
  }
  if (card.disk) {
    for (const DiskReads& reads : card.disk->reads) {
      collect.Measure(DiskQuantityName(reads.pattern, reads.request_bytes, reads.depth), "B/s",
                      reads.bytes_per_s, card.disk->path);
    }
  }
  return collect.found();
}

}  // namespace stallscope
