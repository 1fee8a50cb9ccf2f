#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stallscope/document/machine_facts.h"

namespace stallscope {

/// NVIDIA's own name of the library that comes with the driver.
inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";

/// What all GPUs of a machine did. What the driver does not tell of every one of them is absent.
struct GpuSample {
  std::optional<double> busy_share;    ///< mean over GPUs; of the driver's last sampling period
  std::optional<double> memory_bytes;  ///< in use, of all GPUs together
};

/// The NVIDIA management library. It is loaded while running, because it exists only where there is a driver.
/// Whatever fails, there are no GPU numbers; nothing here throws.
class Nvml {
 public:
  explicit Nvml(const std::string& library = kNvmlLibrary);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// 0 without a driver as well.
  int DeviceCount() const { return static_cast<int>(devices_.size()); }

  GpuSample Read() const;

  /// What the GPUs are, in the driver's order.
  std::vector<GpuFacts> Facts() const;

 private:
  /// These follow nvml.h, which is not needed to build.
  using Device = struct nvmlDevice_st*;
  struct Utilization {
    unsigned int gpu = 0;  ///< percent of the time with a kernel running
    unsigned int memory = 0;
  };
  struct Memory {
    unsigned long long total = 0;
    unsigned long long free = 0;
    unsigned long long used = 0;
  };
  struct PciInfo {
    char bus_id_legacy[16] = {};
    unsigned int domain = 0;
    unsigned int bus = 0;
    unsigned int device = 0;
    unsigned int device_id = 0;
    unsigned int subsystem_id = 0;
    char bus_id[32] = {};
  };
  using NumberCall = int (*)(Device, unsigned int*);

  bool Load(const std::string& library);
  void LoadFactCalls();
  bool FindDevices();
  GpuFacts FactsOf(Device device) const;
  std::vector<NvLinkFacts> LinksOf(Device device) const;

  void* library_ = nullptr;
  bool initialised_ = false;
  int (*init_)() = nullptr;
  int (*shutdown_)() = nullptr;
  int (*device_count_)(unsigned int*) = nullptr;
  int (*device_by_index_)(unsigned int, Device*) = nullptr;
  int (*utilization_)(Device, Utilization*) = nullptr;
  int (*memory_)(Device, Memory*) = nullptr;
  std::vector<Device> devices_;
  // What a driver of another age may lack: then the fact is absent.
  int (*name_)(Device, char*, unsigned int) = nullptr;
  int (*pci_info_)(Device, PciInfo*) = nullptr;
  NumberCall pcie_generation_ = nullptr;
  NumberCall pcie_width_ = nullptr;
  NumberCall pcie_generation_possible_ = nullptr;
  NumberCall pcie_width_possible_ = nullptr;
  int (*link_state_)(Device, unsigned int, unsigned int*) = nullptr;
  int (*link_peer_)(Device, unsigned int, PciInfo*) = nullptr;
};

}  // namespace stallscope
