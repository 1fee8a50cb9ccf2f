#include "stallscope/machine/topology.h"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <type_traits>
#include <utility>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

using TopologyHandle =
    std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, decltype(&hwloc_topology_destroy)>;

constexpr unsigned kNvidia = 0x10de;
constexpr unsigned kAmd = 0x1002;
constexpr unsigned kIntel = 0x8086;
// PCI classes, from the PCI Code and ID Assignment Specification.
constexpr unsigned kDisplayClass = 0x03;
constexpr std::pair<unsigned, const char*> kClasses[] = {
    {0x01, "storage"}, {0x02, "network"}, {kDisplayClass, "display"}, {0x05, "memory"}, {0x0c, "serial bus"}};
constexpr unsigned kVgaClass = 0x0300;
constexpr unsigned kAcceleratorClass = 0x1200;

TopologyHandle Load(const std::string& xml_file) {
  // Debian's plugins look for X servers and GPU run times, which takes seconds and tells us nothing new; an
  // empty folder of plugins leaves the built-in reading of sysfs.
  setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 0);
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw Error("hwloc cannot start", "check that memory is left");
  TopologyHandle topology(raw, &hwloc_topology_destroy);
  const bool recorded = !xml_file.empty();
  if (recorded && hwloc_topology_set_xml(raw, xml_file.c_str()) != 0) {
    throw Error(fmt::format("'{}' is no machine that hwloc recorded", xml_file),
                "make one with lstopo FILE.xml");
  }
  // The whole machine, not only what a container or taskset leaves us.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(raw) != 0) {
    throw Error(recorded ? fmt::format("hwloc cannot read '{}'", xml_file) : "hwloc cannot read this machine",
                "run lstopo, and see what it says");
  }
  return topology;
}

std::optional<int> CountOf(hwloc_topology_t topology, hwloc_obj_type_t type) {
  const int count = hwloc_get_nbobjs_by_type(topology, type);
  return count > 0 ? std::optional(count) : std::nullopt;
}

const char* CacheType(hwloc_obj_cache_type_t type) {
  return type == HWLOC_OBJ_CACHE_UNIFIED ? "unified" : type == HWLOC_OBJ_CACHE_DATA ? "data" : "instruction";
}

void ReadCaches(hwloc_topology_t topology, TopologyFacts& facts) {
  for (const hwloc_obj_type_t type :
       {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L1ICACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE}) {
    const hwloc_obj_t first = hwloc_get_obj_by_type(topology, type, 0);
    if (first == nullptr || first->attr->cache.size == 0) continue;
    facts.caches.push_back({.level = static_cast<int>(first->attr->cache.depth),
                            .type = CacheType(first->attr->cache.type),
                            .bytes = static_cast<std::int64_t>(first->attr->cache.size),
                            .count = hwloc_get_nbobjs_by_type(topology, type),
                            .threads = hwloc_bitmap_weight(first->cpuset)});
  }
}

/// GPUs are those that people train on; the display of a virtual machine or a server's console is none.
std::string KindOf(const hwloc_obj_attr_u::hwloc_pcidev_attr_s& pci) {
  const unsigned main = pci.class_id >> 8U;
  const bool compute = main == kDisplayClass || pci.class_id == kAcceleratorClass;
  if (compute && pci.vendor_id == kNvidia) return "gpu";
  const bool other_maker = pci.vendor_id == kAmd || pci.vendor_id == kIntel;
  if (compute && other_maker && pci.class_id != kVgaClass) return "gpu";
  for (const auto& [number, name] : kClasses) {
    if (main == number) return name;
  }
  return fmt::format("class 0x{:04x}", pci.class_id);
}

std::optional<int> NumaNodeOf(hwloc_topology_t topology, hwloc_obj_t device) {
  const hwloc_obj_t place = hwloc_get_non_io_ancestor_obj(topology, device);
  // Near to several nodes is near to none.
  if (place == nullptr || place->nodeset == nullptr || hwloc_bitmap_weight(place->nodeset) != 1) {
    return std::nullopt;
  }
  return hwloc_bitmap_first(place->nodeset);
}

PciDeviceFacts ReadPciDevice(hwloc_topology_t topology, hwloc_obj_t object) {
  const auto& pci = object->attr->pcidev;
  PciDeviceFacts device{
      .address = fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci.domain, pci.bus, pci.dev, pci.func),
      .kind = KindOf(pci),
      .id = fmt::format("{:04x}:{:04x}", pci.vendor_id, pci.device_id),
      .numa_node = NumaNodeOf(topology, object)};
  for (hwloc_obj_t child = object->io_first_child; child != nullptr; child = child->next_sibling) {
    if (child->type == HWLOC_OBJ_OS_DEVICE && child->name != nullptr)
      device.devices.emplace_back(child->name);
  }
  // hwloc gives GB/s, and 0 where it cannot know.
  if (pci.linkspeed > 0) device.link_bytes_per_s = 1e9 * static_cast<double>(pci.linkspeed);
  return device;
}

}  // namespace

TopologyFacts ReadTopology(const std::string& xml_file) {
  const TopologyHandle handle = Load(xml_file);
  hwloc_topology_t topology = handle.get();
  TopologyFacts facts;
  facts.packages = CountOf(topology, HWLOC_OBJ_PACKAGE);
  facts.numa_nodes = CountOf(topology, HWLOC_OBJ_NUMANODE);
  facts.cores = CountOf(topology, HWLOC_OBJ_CORE);
  facts.threads = CountOf(topology, HWLOC_OBJ_PU);
  const auto memory = hwloc_get_root_obj(topology)->total_memory;
  if (memory > 0) facts.memory_bytes = static_cast<std::int64_t>(memory);
  ReadCaches(topology, facts);
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_pcidev(topology, object)) != nullptr;) {
    facts.pci_devices.push_back(ReadPciDevice(topology, object));
  }
  return facts;
}

std::optional<LastLevelCache> LastLevelOf(const TopologyFacts& topology) {
  std::optional<LastLevelCache> last;
  int level = 0;
  for (const CacheFacts& cache : topology.caches) {
    if (cache.type == "instruction" || cache.level < level) continue;
    level = cache.level;
    last = {.one = cache.bytes, .all = cache.bytes * cache.count};
  }
  return last;
}

std::optional<std::int64_t> PrivateCacheOf(const TopologyFacts& topology) {
  if (!topology.cores || !topology.threads) return std::nullopt;
  std::optional<std::int64_t> largest;
  for (const CacheFacts& cache : topology.caches) {
    const bool shared = cache.threads * *topology.cores > *topology.threads;
    if (cache.type == "instruction" || shared) continue;
    largest = std::max(largest.value_or(0), cache.bytes);
  }
  return largest;
}

}  // namespace stallscope
