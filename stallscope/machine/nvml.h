#pragma once

#include <optional>
#include <string>
#include <vector>

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

  bool Load(const std::string& library);
  bool FindDevices();

  void* library_ = nullptr;
  bool initialised_ = false;
  int (*init_)() = nullptr;
  int (*shutdown_)() = nullptr;
  int (*device_count_)(unsigned int*) = nullptr;
  int (*device_by_index_)(unsigned int, Device*) = nullptr;
  int (*utilization_)(Device, Utilization*) = nullptr;
  int (*memory_)(Device, Memory*) = nullptr;
  std::vector<Device> devices_;
};

}  // namespace stallscope
