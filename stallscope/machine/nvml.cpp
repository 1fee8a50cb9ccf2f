#include "stallscope/machine/nvml.h"

#include <dlfcn.h>

namespace stallscope {
namespace {

constexpr int kSuccess = 0;  // NVML_SUCCESS

template <typename Function>
bool Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

Nvml::Nvml(const std::string& library) {
  if (!Load(library)) return;
  initialised_ = init_() == kSuccess;
  // A machine whose GPUs are only partly ours to see would give means over some of them.
  if (initialised_ && !FindDevices()) devices_.clear();
}

Nvml::~Nvml() {
  if (initialised_) shutdown_();
  if (library_ != nullptr) dlclose(library_);
}

bool Nvml::Load(const std::string& library) {
  library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  // The suffixes are the versions that nvml.h has meant by the plain names since 2014.
  return library_ != nullptr && Find(library_, "nvmlInit_v2", init_) &&
         Find(library_, "nvmlShutdown", shutdown_) &&
         Find(library_, "nvmlDeviceGetCount_v2", device_count_) &&
         Find(library_, "nvmlDeviceGetHandleByIndex_v2", device_by_index_) &&
         Find(library_, "nvmlDeviceGetUtilizationRates", utilization_) &&
         Find(library_, "nvmlDeviceGetMemoryInfo", memory_);
}

bool Nvml::FindDevices() {
  unsigned int count = 0;
  if (device_count_(&count) != kSuccess) return false;
  for (unsigned int index = 0; index < count; ++index) {
    Device device = nullptr;
    if (device_by_index_(index, &device) != kSuccess) return false;
    devices_.push_back(device);
  }
  return true;
}

GpuSample Nvml::Read() const {
  GpuSample sample;
  if (devices_.empty()) return sample;
  sample = {.busy_share = 0, .memory_bytes = 0};
  for (Device device : devices_) {
    Utilization utilization;
    if (utilization_(device, &utilization) != kSuccess) sample.busy_share.reset();
    if (sample.busy_share)
      *sample.busy_share += 0.01 * utilization.gpu / static_cast<double>(devices_.size());
    Memory memory;
    if (memory_(device, &memory) != kSuccess) sample.memory_bytes.reset();
    if (sample.memory_bytes) *sample.memory_bytes += static_cast<double>(memory.used);
  }
  return sample;
}

}  // namespace stallscope
