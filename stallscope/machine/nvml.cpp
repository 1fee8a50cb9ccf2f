#include "stallscope/machine/nvml.h"

#include <dlfcn.h>

#include <array>
#include <cctype>

namespace stallscope {
namespace {

constexpr int kSuccess = 0;               // NVML_SUCCESS
constexpr unsigned int kMostLinks = 18;   // NVML_NVLINK_MAX_LINKS
constexpr std::size_t kLongestName = 96;  // NVML_DEVICE_NAME_V2_BUFFER_SIZE
constexpr unsigned int kEnabled = 1;      // NVML_FEATURE_ENABLED

template <typename Function>
bool Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

/// NVML writes "00000000:3B:00.0" where the kernel writes "0000:3b:00.0".
std::string KernelAddress(const char* bus_id) {
  std::string address(bus_id);
  for (char& c : address) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::size_t kDomainDigits = 4;
  const std::size_t colon = address.find(':');
  if (colon != std::string::npos && colon > kDomainDigits) address.erase(0, colon - kDomainDigits);
  return address;
}

}  // namespace

Nvml::Nvml(const std::string& library) {
  if (!Load(library)) return;
  LoadFactCalls();
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

void Nvml::LoadFactCalls() {
  Find(library_, "nvmlDeviceGetName", name_);
  Find(library_, "nvmlDeviceGetPciInfo_v3", pci_info_);
  Find(library_, "nvmlDeviceGetCurrPcieLinkGeneration", pcie_generation_);
  Find(library_, "nvmlDeviceGetCurrPcieLinkWidth", pcie_width_);
  Find(library_, "nvmlDeviceGetMaxPcieLinkGeneration", pcie_generation_possible_);
  Find(library_, "nvmlDeviceGetMaxPcieLinkWidth", pcie_width_possible_);
  Find(library_, "nvmlDeviceGetNvLinkState", link_state_);
  Find(library_, "nvmlDeviceGetNvLinkRemotePciInfo_v2", link_peer_);
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

std::vector<GpuFacts> Nvml::Facts() const {
  std::vector<GpuFacts> facts;
  for (Device device : devices_) facts.push_back(FactsOf(device));
  return facts;
}

GpuFacts Nvml::FactsOf(Device device) const {
  const auto number = [&](NumberCall call) -> std::optional<int> {
    unsigned int value = 0;
    if (call == nullptr || call(device, &value) != kSuccess) return std::nullopt;
    return static_cast<int>(value);
  };
  GpuFacts facts{.pcie_generation = number(pcie_generation_),
                 .pcie_width = number(pcie_width_),
                 .pcie_generation_possible = number(pcie_generation_possible_),
                 .pcie_width_possible = number(pcie_width_possible_),
                 .nvlinks = LinksOf(device)};
  std::array<char, kLongestName> name{};
  if (name_ != nullptr && name_(device, name.data(), kLongestName) == kSuccess) facts.name = name.data();
  PciInfo pci;
  if (pci_info_ != nullptr && pci_info_(device, &pci) == kSuccess) facts.address = KernelAddress(pci.bus_id);
  Memory memory;
  if (memory_(device, &memory) == kSuccess) facts.memory_bytes = static_cast<std::int64_t>(memory.total);
  return facts;
}

std::vector<NvLinkFacts> Nvml::LinksOf(Device device) const {
  std::vector<NvLinkFacts> links;
  if (link_state_ == nullptr) return links;
  for (unsigned int index = 0; index < kMostLinks; ++index) {
    unsigned int state = 0;
    // GPUs refuse the numbers of links that they do not have.
    if (link_state_(device, index, &state) != kSuccess) continue;
    NvLinkFacts link{.link = static_cast<int>(index), .active = state == kEnabled};
    PciInfo peer;
    const bool told = link.active && link_peer_ != nullptr && link_peer_(device, index, &peer) == kSuccess;
    if (told) link.peer = KernelAddress(peer.bus_id);
    links.push_back(link);
  }
  return links;
}

}  // namespace stallscope
