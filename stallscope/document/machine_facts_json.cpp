#include "stallscope/document/machine_facts_json.h"

#include "stallscope/document/put_optional.h"

namespace stallscope {
namespace {

std::optional<int> OptionalSmall(const JsonFields& fields, const char* key) {
  return fields.Has(key) ? std::optional(fields.SmallInteger(key)) : std::nullopt;
}

Json CacheToJson(const CacheFacts& cache) {
  return {{"level", cache.level},
          {"type", cache.type},
          {"bytes", cache.bytes},
          {"count", cache.count},
          {"threads", cache.threads}};
}

Json PciToJson(const PciDeviceFacts& device) {
  Json json = {{"address", device.address}, {"kind", device.kind}, {"id", device.id}};
  json["devices"] = device.devices;
  Put(json, "numa_node", device.numa_node);
  Put(json, "link_bytes_per_s", device.link_bytes_per_s);
  return json;
}

PciDeviceFacts PciFromJson(const JsonFields& fields) {
  return {.address = fields.Text("address"),
          .kind = fields.Text("kind"),
          .id = fields.Text("id"),
          .devices = fields.Texts("devices"),
          .numa_node = OptionalSmall(fields, "numa_node"),
          .link_bytes_per_s = fields.OptionalNumber("link_bytes_per_s")};
}

}  // namespace

Json CloudToJson(const CloudMachine& cloud) {
  Json json = {{"provider", cloud.provider}};
  Put(json, "instance", cloud.instance);
  json["evidence"] = cloud.evidence;
  return json;
}

CloudMachine CloudFromJson(const JsonFields& fields) {
  return {.provider = fields.Text("provider"),
          .instance = fields.OptionalText("instance"),
          .evidence = fields.Text("evidence")};
}

Json TopologyToJson(const TopologyFacts& topology) {
  Json json = Json::object();
  Put(json, "packages", topology.packages);
  Put(json, "numa_nodes", topology.numa_nodes);
  Put(json, "cores", topology.cores);
  Put(json, "threads", topology.threads);
  Put(json, "memory_bytes", topology.memory_bytes);
  json["caches"] = Json::array();
  for (const CacheFacts& cache : topology.caches) json["caches"].push_back(CacheToJson(cache));
  json["pci_devices"] = Json::array();
  for (const PciDeviceFacts& device : topology.pci_devices) json["pci_devices"].push_back(PciToJson(device));
  return json;
}

TopologyFacts TopologyFromJson(const JsonFields& fields) {
  TopologyFacts topology;
  topology.packages = OptionalSmall(fields, "packages");
  topology.numa_nodes = OptionalSmall(fields, "numa_nodes");
  topology.cores = OptionalSmall(fields, "cores");
  topology.threads = OptionalSmall(fields, "threads");
  topology.memory_bytes = fields.OptionalInteger("memory_bytes");
  for (const JsonFields& cache : fields.Objects("caches")) {
    topology.caches.push_back({.level = cache.SmallInteger("level"),
                               .type = cache.Text("type"),
                               .bytes = cache.Integer("bytes"),
                               .count = cache.SmallInteger("count"),
                               .threads = cache.SmallInteger("threads")});
  }
  for (const JsonFields& device : fields.Objects("pci_devices")) {
    topology.pci_devices.push_back(PciFromJson(device));
  }
  return topology;
}

Json GpuToJson(const GpuFacts& gpu) {
  Json json = Json::object();
  Put(json, "name", gpu.name);
  Put(json, "memory_bytes", gpu.memory_bytes);
  Put(json, "address", gpu.address);
  Put(json, "pcie_generation", gpu.pcie_generation);
  Put(json, "pcie_width", gpu.pcie_width);
  Put(json, "pcie_generation_possible", gpu.pcie_generation_possible);
  Put(json, "pcie_width_possible", gpu.pcie_width_possible);
  json["nvlinks"] = Json::array();
  for (const NvLinkFacts& link : gpu.nvlinks) {
    Json entry = {{"link", link.link}, {"active", link.active}};
    Put(entry, "peer", link.peer);
    json["nvlinks"].push_back(entry);
  }
  return json;
}

GpuFacts GpuFromJson(const JsonFields& fields) {
  GpuFacts gpu{.name = fields.OptionalText("name"),
               .memory_bytes = fields.OptionalInteger("memory_bytes"),
               .address = fields.OptionalText("address"),
               .pcie_generation = OptionalSmall(fields, "pcie_generation"),
               .pcie_width = OptionalSmall(fields, "pcie_width"),
               .pcie_generation_possible = OptionalSmall(fields, "pcie_generation_possible"),
               .pcie_width_possible = OptionalSmall(fields, "pcie_width_possible")};
  for (const JsonFields& link : fields.Objects("nvlinks")) {
    gpu.nvlinks.push_back({.link = link.SmallInteger("link"),
                           .active = link.Truth("active"),
                           .peer = link.OptionalText("peer")});
  }
  return gpu;
}

Json InterfaceToJson(const InterfaceFacts& interface) {
  Json json = {{"name", interface.name}};
  Put(json, "bytes_per_s", interface.bytes_per_s);
  Put(json, "mtu", interface.mtu);
  Put(json, "driver", interface.driver);
  Put(json, "state", interface.state);
  json["virtual"] = interface.is_virtual;
  return json;
}

InterfaceFacts InterfaceFromJson(const JsonFields& fields) {
  return {.name = fields.Text("name"),
          .bytes_per_s = fields.OptionalNumber("bytes_per_s"),
          .mtu = OptionalSmall(fields, "mtu"),
          .driver = fields.OptionalText("driver"),
          .state = fields.OptionalText("state"),
          .is_virtual = fields.Truth("virtual")};
}

}  // namespace stallscope
