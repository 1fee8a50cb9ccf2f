// A stand-in for NVIDIA's libnvidia-ml.so.1 with two GPUs, so that its calls really run in tests. What it
// fails at is named by the variable FAKE_NVML_FAILS: init, count, handle, utilization, memory, name, pci,
// pcie, nvlink or peer. Failing calls leave rubbish behind, as real ones may. The GPUs have four links: two
// to each other, one that is off, and one to a switch.
#include <cstdio>
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

struct nvmlPciInfo_st {
  char busIdLegacy[16];
  unsigned int domain;
  unsigned int bus;
  unsigned int device;
  unsigned int pciDeviceId;
  unsigned int pciSubSystemId;
  char busId[32];
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

int nvmlDeviceGetName(nvmlDevice_st*, char* name, unsigned int length) {
  std::snprintf(name, length, "Imaginary A100");
  return Fails("name") ? kNotSupported : kSuccess;
}

int nvmlDeviceGetPciInfo_v3(nvmlDevice_st* device, nvmlPciInfo_st* info) {
  std::snprintf(info->busId, sizeof info->busId, "00000000:%s:00.0", device == &devices[0] ? "3B" : "AF");
  return Fails("pci") ? kNotSupported : kSuccess;
}

// The second GPU idles, and sits in a slot of which half the lanes work.
int nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_st* device, unsigned int* generation) {
  *generation = device == &devices[0] ? 4 : 1;
  return Fails("pcie") ? kNotSupported : kSuccess;
}

int nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_st* device, unsigned int* width) {
  *width = device == &devices[0] ? 16 : 8;
  return Fails("pcie") ? kNotSupported : kSuccess;
}

int nvmlDeviceGetMaxPcieLinkGeneration(nvmlDevice_st*, unsigned int* generation) {
  *generation = 4;
  return kSuccess;
}

int nvmlDeviceGetMaxPcieLinkWidth(nvmlDevice_st*, unsigned int* width) {
  *width = 16;
  return kSuccess;
}

int nvmlDeviceGetNvLinkState(nvmlDevice_st*, unsigned int link, unsigned int* active) {
  *active = link != 2 ? 1 : 0;
  return Fails("nvlink") || link >= 4 ? kNotSupported : kSuccess;
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_st* device, unsigned int link, nvmlPciInfo_st* info) {
  const char* peer = device == &devices[0] ? "AF" : "3B";
  std::snprintf(info->busId, sizeof info->busId, "00000000:%s:00.0", link < 2 ? peer : "C1");
  return Fails("peer") ? kNotSupported : kSuccess;
}

}  // extern "C"
