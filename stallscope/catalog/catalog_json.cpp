#include "stallscope/catalog/catalog_json.h"

#include "stallscope/document/put_optional.h"

namespace stallscope {
namespace {

template <typename Unit>
void PutValue(Json& json, const char* key, const std::optional<Unit>& value) {
  if (value) json[key] = value->value;
}

void PutText(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) json[key] = text;
}

void PutProvenance(Json& json, const Provenance& from, const Catalog& catalog) {
  json["sources"] = Json::array();
  for (const std::string& name : from.sources) {
    const Source* source = catalog.SourceOrNull(name);
    Json entry = {{"where", source != nullptr ? source->where : name}};
    if (source != nullptr) PutText(entry, "date", source->date);
    json["sources"].push_back(std::move(entry));
  }
  if (!from.unverified.empty()) json["unverified"] = from.unverified;
  PutText(json, "note", from.note);
}

}  // namespace

std::string BurstWord(NetworkBurst burst) {
  switch (burst) {
    case NetworkBurst::kUnknown:
      return "";
    case NetworkBurst::kNone:
      return "no";
    case NetworkBurst::kCredit:
      return "credit";
    case NetworkBurst::kCeilingUnknown:
      return "ceiling-unknown";
  }
  return "";
}

const char* Word(NodeKind kind) {
  switch (kind) {
    case NodeKind::kGpu:
      return "gpu";
    case NodeKind::kPcieSwitch:
      return "pcie-switch";
    case NodeKind::kNvSwitch:
      return "nvswitch";
    case NodeKind::kHost:
      return "host";
    case NodeKind::kNic:
      return "nic";
  }
  return "";
}

const char* Word(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::kPcie:
      return "pcie";
    case EdgeKind::kNvlink:
      return "nvlink";
    case EdgeKind::kSocket:
      return "socket";
  }
  return "";
}

Json ToJson(const Machine& machine, const Catalog& catalog) {
  Json json = {{"provider", machine.provider}, {"machine", machine.name}, {"gpu", machine.gpu}};
  PutText(json, "gpu_listed", machine.gpu_listed);
  json["gpus"] = machine.gpus;
  PutValue(json, "gpu_memory_bytes", MemoryPerGpu(machine, catalog.GpuOrNull(machine.gpu)));
  Put(json, "vcpus", machine.vcpus);
  PutValue(json, "memory_bytes", machine.memory);
  PutValue(json, "network_bytes_per_s", machine.network_ceiling);
  PutValue(json, "network_baseline_bytes_per_s", machine.network_baseline);
  PutText(json, "network_burst", BurstWord(machine.burst));
  if (machine.fabric) {
    Json fabric = {{"kind", machine.fabric->kind}};
    Put(fabric, "nics", machine.fabric->nics);
    PutValue(fabric, "bytes_per_s", machine.fabric->rate);
    Put(fabric, "gpudirect", machine.fabric->gpudirect);
    json["fabric"] = std::move(fabric);
  }
  PutValue(json, "local_disk_bytes", machine.local_disk);
  PutValue(json, "disk_bytes_per_s", machine.disk_ceiling);
  PutValue(json, "disk_baseline_bytes_per_s", machine.disk_baseline);
  PutText(json, "interconnect", machine.interconnect);
  PutValue(json, "interconnect_one_way_bytes_per_s", machine.interconnect_one_way);
  Put(json, "pcie_generation", machine.pcie_generation);
  Put(json, "pcie_width", machine.pcie_width);
  Put(json, "numa_nodes", machine.numa_nodes);
  PutText(json, "availability", machine.availability);
  PutText(json, "last_listed", machine.last_listed);
  PutProvenance(json, machine.provenance, catalog);
  return json;
}

Json ToJson(const Gpu& gpu, const Catalog& catalog) {
  Json json = {{"gpu", gpu.name}};
  PutValue(json, "fp32_flops_per_s", gpu.fp32);
  PutValue(json, "fp32_sustained_flops_per_s", gpu.fp32_sustained);
  PutValue(json, "tf32_flops_per_s", gpu.tf32);
  PutValue(json, "fp16_flops_per_s", gpu.fp16);
  PutValue(json, "bf16_flops_per_s", gpu.bf16);
  PutValue(json, "bf16_measured_flops_per_s", gpu.bf16_measured);
  PutValue(json, "memory_bytes", gpu.memory);
  PutValue(json, "memory_bytes_per_s", gpu.memory_bandwidth);
  Put(json, "pcie_generation", gpu.pcie_generation);
  PutText(json, "nvlink", gpu.nvlink);
  PutValue(json, "nvlink_one_way_bytes_per_s", gpu.nvlink_one_way);
  Put(json, "year", gpu.year);
  PutProvenance(json, gpu.provenance, catalog);
  return json;
}

Json ToJson(const DatasetPreset& preset, const Catalog& catalog) {
  Json json = {{"dataset", preset.name},
               {"kind", preset.kind},
               {"samples", preset.samples},
               {"bytes", preset.bytes.value},
               {"sample_bytes", preset.sample_bytes.value}};
  Put(json, "classes", preset.classes);
  Put(json, "tokens", preset.tokens);
  PutProvenance(json, preset.provenance, catalog);
  return json;
}

Json ToJson(const AllReduceCurve& curve, const Catalog& catalog) {
  Json json = {{"system", curve.system}};
  PutText(json, "machine", curve.machine);
  PutText(json, "gpu", curve.gpu);
  json.update({{"gpus", curve.gpus},
               {"nodes", curve.nodes},
               {"collective", curve.collective},
               {"transport", curve.transport},
               {"points", curve.points}});
  Put(json, "latency_s", curve.latency_s);
  Put(json, "fit_error", curve.fit_error);
  json["bus_bandwidth_bytes_per_s"] = ToJson(LargestMessageBandwidth(curve));
  json["segments"] = Json::array();
  for (const CurveSegment& segment : curve.segments) {
    Json part = {{"from_bytes", segment.from.value}, {"to_bytes", segment.to.value}};
    if (segment.intercept) part["intercept_s"] = segment.intercept->count();
    PutValue(part, "bus_bandwidth_bytes_per_s", segment.bus_bandwidth);
    PutValue(part, "bus_bandwidth_low_bytes_per_s", segment.low);
    PutValue(part, "bus_bandwidth_high_bytes_per_s", segment.high);
    json["segments"].push_back(std::move(part));
  }
  PutProvenance(json, curve.provenance, catalog);
  return json;
}

Json ToJson(const AllReduceThreshold& threshold, const Catalog& catalog) {
  Json json = {{"machine", threshold.machine}, {"gpus", threshold.gpus},
               {"nodes", threshold.nodes},     {"transport", threshold.transport},
               {"kind", threshold.kind},       {"bus_bandwidth_bytes_per_s", threshold.bus_bandwidth.value}};
  PutValue(json, "bytes", threshold.bytes);
  PutProvenance(json, threshold.provenance, catalog);
  return json;
}

Json ToJson(const Price& price, const Catalog& catalog) {
  Json json = {{"region", price.region}};
  Put(json, "on_demand_usd_hour", price.on_demand_usd_hour);
  Put(json, "spot_usd_hour", price.spot_usd_hour);
  json["date"] = price.date;
  if (price.date_is_latest) json["date_is_latest"] = true;
  PutProvenance(json, price.provenance, catalog);
  return json;
}

Json ToJson(const MachineTopology& topology) {
  Json json = {{"name", topology.name}, {"by_class", topology.by_class}};
  PutValue(json, "nic_bytes_per_s", topology.nic_rate);
  json["nodes"] = Json::array();
  for (const TopologyNode& node : topology.nodes)
    json["nodes"].push_back({{"name", node.name}, {"kind", Word(node.kind)}});
  json["edges"] = Json::array();
  for (const TopologyEdge& edge : topology.edges) {
    Json entry = {{"from", topology.nodes[static_cast<std::size_t>(edge.from)].name},
                  {"to", topology.nodes[static_cast<std::size_t>(edge.to)].name},
                  {"kind", Word(edge.kind)},
                  {"links", edge.links}};
    PutValue(entry, "one_way_bytes_per_s", edge.one_way);
    json["edges"].push_back(std::move(entry));
  }
  if (!topology.provenance.unverified.empty()) json["unverified"] = topology.provenance.unverified;
  return json;
}

}  // namespace stallscope
