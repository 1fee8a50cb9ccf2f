// A stand-in for NVIDIA's libnvidia-ml.so.1 with two GPUs, so that its calls really run in tests. What it fails
// at is named by the variable FAKE_NVML_FAILS: init, count, handle, utilization or memory. Failing calls leave
// rubbish behind, as real ones may.
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kSuccess = 0;
constexpr int kNotSupported = 3;
constexpr int kUninitialised = 1;
constexpr unsigned int kDevices = 2;

bool initialised = false;

bool Fails(const char* at) {
  const char* wanted = std::getenv("FAKE_NVML_FAILS");
  return wanted != nullptr && std::strcmp(wanted, at) == 0;
}

}  // namespace

struct nvmlDevice_st {
  unsigned int percent;
  unsigned long long used;
};

struct nvmlUtilization_st {
  unsigned int gpu;
  unsigned int memory;
};

struct nvmlMemory_st {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

static nvmlDevice_st devices[kDevices] = {{90, 6'000'000'000ULL}, {40, 2'000'000'000ULL}};

extern "C" {

int nvmlInit_v2() {
  if (Fails("init")) return 9;  // the driver is not loaded
  initialised = true;
  return kSuccess;
}

int nvmlShutdown() {
  if (!initialised) std::abort();
  initialised = false;
  return kSuccess;
}

int nvmlDeviceGetCount_v2(unsigned int* count) {
  *count = kDevices;
  if (!initialised) return kUninitialised;
  return Fails("count") ? kNotSupported : kSuccess;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_st** device) {
  if (!initialised || index >= kDevices) return kUninitialised;
  *device = &devices[index];
  return Fails("handle") && index == 1 ? kNotSupported : kSuccess;
}

int nvmlDeviceGetUtilizationRates(nvmlDevice_st* device, nvmlUtilization_st* rates) {
  *rates = {device->percent, 77};
  return Fails("utilization") && device == &devices[1] ? kNotSupported : kSuccess;
}

int nvmlDeviceGetMemoryInfo(nvmlDevice_st* device, nvmlMemory_st* memory) {
  *memory = {16'000'000'000ULL, 16'000'000'000ULL - device->used, device->used};
  return Fails("memory") && device == &devices[0] ? kNotSupported : kSuccess;
}

}  // extern "C"
