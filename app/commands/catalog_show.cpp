#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/catalog_options.h"
#include "app/commands/catalog.h"
#include "app/commands/catalog_text.h"
#include "app/document_header.h"
#include "app/output.h"
#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/catalog/catalog_json.h"
#include "stallscope/catalog/facts.h"

namespace stallscope {
namespace {

constexpr std::size_t kMostRegions = 8;

struct ShowFlags {
  std::string name;
  CatalogFlags catalog;
  OutputOptions output;
};

void Line(const char* what, const std::string& text) {
  fmt::print("  {:<12} {}\n", what, text);
}

std::string GbitText(const std::optional<BytesPerSecond>& rate) {
  return rate ? fmt::format("{:g} Gbit/s", rate->value * 8 / 1e9) : std::string("unknown");
}

std::string NetworkText(const Machine& machine) {
  switch (machine.burst) {
    case NetworkBurst::kCredit:
      return fmt::format("up to {} while credit lasts (5 to 60 minutes), then {}",
                         GbitText(machine.network_ceiling), GbitText(machine.network_baseline));
    case NetworkBurst::kCeilingUnknown:
      return fmt::format("{} at least; how much more for some minutes is unknown",
                         GbitText(machine.network_baseline));
    default:
      return GbitText(SustainedNetwork(machine));
  }
}

std::string FabricText(const Machine& machine) {
  if (!machine.fabric) return "unknown";
  const Fabric& fabric = *machine.fabric;
  if (fabric.kind == "none") return "none: TCP only";
  std::string text = fabric.kind;
  if (fabric.nics) text += fmt::format(", {} NIC{}", *fabric.nics, *fabric.nics == 1 ? "" : "s");
  text += ", " + (fabric.rate ? GbitText(fabric.rate) + " in all" : std::string("rate unknown"));
  if (fabric.gpudirect) text += *fabric.gpudirect ? ", GPUDirect" : ", no GPUDirect";
  return text;
}

std::string DiskText(const Machine& machine) {
  std::string text = "local ";
  if (!machine.local_disk) {
    text += "unknown";
  } else {
    text += machine.local_disk->value > 0 ? FormatBytes(machine.local_disk->value) : "none";
  }
  if (machine.disk_ceiling)
    text += fmt::format("; network disks {:g} MB/s", machine.disk_ceiling->value / 1e6);
  if (machine.disk_baseline && machine.disk_ceiling &&
      machine.disk_baseline->value < machine.disk_ceiling->value)
    text += fmt::format(" in bursts, {:g} MB/s sustained", machine.disk_baseline->value / 1e6);
  return text;
}

std::string InterconnectText(const Machine& machine) {
  std::string text = machine.interconnect.empty() ? "unknown" : machine.interconnect;
  if (machine.interconnect_one_way)
    text += fmt::format(", {:g} GB/s one way per GPU", machine.interconnect_one_way->value / 1e9);
  if (machine.pcie_width) text += fmt::format(", PCIe x{} seen", *machine.pcie_width);
  return text;
}

std::string HostText(const Machine& machine) {
  std::string text = machine.vcpus ? fmt::format("{} vCPUs", *machine.vcpus) : std::string("vCPUs unknown");
  text += ", " + (machine.memory ? FormatBytes(machine.memory->value) : std::string("memory unknown"));
  if (machine.numa_nodes)
    text += fmt::format(", {} NUMA node{}", *machine.numa_nodes, *machine.numa_nodes == 1 ? "" : "s");
  return text;
}

std::string GpuText(const Machine& machine, const Catalog& catalog) {
  const auto memory = MemoryPerGpu(machine, catalog.GpuOrNull(machine.gpu));
  std::string text = fmt::format("{:g} x {}", machine.gpus, machine.gpu.empty() ? "none" : machine.gpu);
  if (machine.gpu_listed != machine.gpu) text += fmt::format(" (listed as {})", machine.gpu_listed);
  return text + (memory ? fmt::format(", {:g} GB each", memory->value / 1e9) : ", memory unknown");
}

void PrintPrices(const Machine& machine, const Catalog& catalog) {
  std::vector<Price> prices = catalog.PricesOf(machine);
  const std::string reference = catalog.ReferenceRegion(machine.provider);
  std::stable_partition(prices.begin(), prices.end(),
                        [&](const Price& price) { return price.region == reference; });
  if (prices.empty()) Line("price", "none is known");
  const std::string today = UtcNow();
  for (std::size_t i = 0; i < prices.size() && i < kMostRegions; ++i) {
    const Price& price = prices[i];
    Line("price",
         fmt::format("{} USD/h, spot {}, {} on {}{}{}", MoneyText(price.on_demand_usd_hour),
                     MoneyText(price.spot_usd_hour), price.region, price.date,
                     price.date_is_latest ? " or earlier" : "", IsStale(price, today) ? ", stale" : ""));
    fmt::print("{}", ProvenanceText(price.provenance, catalog));
  }
  if (prices.size() > kMostRegions)
    Line("price", fmt::format("{} more regions: `catalog list --region NAME`, or --json",
                              prices.size() - kMostRegions));
}

void PrintCurves(const Machine& machine, const Catalog& catalog) {
  for (const AllReduceCurve& curve : catalog.curves()) {
    if (curve.machine != machine.name) continue;
    Line("all-reduce", CurveText(curve));
    fmt::print("{}", ProvenanceText(curve.provenance, catalog));
  }
  for (const AllReduceThreshold& threshold : catalog.thresholds()) {
    if (threshold.machine != machine.name) continue;
    Line("threshold", fmt::format("{} GPUs on {} node{}, {}: at least {:g} GB/s ({})", threshold.gpus,
                                  threshold.nodes, threshold.nodes == 1 ? "" : "s", threshold.transport,
                                  threshold.bus_bandwidth.value / 1e9, threshold.kind));
  }
}

void PrintMachine(const Machine& machine, const Catalog& catalog) {
  fmt::print("{} of {}\n", machine.name, machine.provider);
  Line("GPUs", GpuText(machine, catalog));
  Line("host", HostText(machine));
  Line("between GPUs", InterconnectText(machine));
  Line("network", NetworkText(machine));
  Line("fabric", FabricText(machine));
  Line("disk", DiskText(machine));
  Line("offered",
       machine.availability + (machine.last_listed.empty() ? "" : ", last listed " + machine.last_listed));
  fmt::print("{}", ProvenanceText(machine.provenance, catalog));
  PrintPrices(machine, catalog);
  PrintCurves(machine, catalog);
  const auto topology = catalog.TopologyOf(machine);
  if (!topology) {
    Line("topology", "unknown");
    return;
  }
  fmt::print("topology '{}'{}, rates of the wire one way{}\n", topology->name,
             topology->by_class ? " (derived from the class of machine)" : "",
             topology->nic_rate ? fmt::format("; {} per NIC", GbitText(topology->nic_rate)) : "");
  fmt::print("{}", DescribeTopology(*topology));
  if (!topology->by_class) fmt::print("{}", ProvenanceText(topology->provenance, catalog));
}

void PrintGpu(const Gpu& gpu, const Catalog& catalog) {
  fmt::print("{}\n", gpu.name);
  const auto tera = [](const char* what, const std::optional<FlopsPerSecond>& value) {
    if (value) Line(what, fmt::format("{:g} TFLOPS", value->value / 1e12));
  };
  tera("fp32", gpu.fp32);
  tera("sustained", gpu.fp32_sustained);
  tera("tf32", gpu.tf32);
  tera("fp16", gpu.fp16);
  tera("bf16", gpu.bf16);
  tera("bf16, seen", gpu.bf16_measured);
  if (gpu.memory) Line("memory", fmt::format("{:g} GB", gpu.memory->value / 1e9));
  if (gpu.memory_bandwidth) Line("its rate", fmt::format("{:g} GB/s", gpu.memory_bandwidth->value / 1e9));
  if (gpu.pcie_generation) Line("PCIe", fmt::format("generation {}", *gpu.pcie_generation));
  if (!gpu.nvlink.empty()) Line("NVLink", gpu.nvlink);
  if (gpu.nvlink_one_way) Line("its rate", fmt::format("{:g} GB/s one way", gpu.nvlink_one_way->value / 1e9));
  fmt::print("{}", ProvenanceText(gpu.provenance, catalog));
}

void PrintDataset(const DatasetPreset& preset, const Catalog& catalog) {
  fmt::print("{} ({})\n", preset.name, preset.kind);
  Line("samples", fmt::format("{}", preset.samples));
  Line("bytes",
       fmt::format("{}, {} each", FormatBytes(preset.bytes.value), FormatBytes(preset.sample_bytes.value)));
  if (preset.classes) Line("classes", fmt::format("{}", *preset.classes));
  if (preset.tokens) Line("tokens", fmt::format("{}", *preset.tokens));
  fmt::print("{}", ProvenanceText(preset.provenance, catalog));
}

Json MachineDocument(const Machine& machine, const Catalog& catalog) {
  Json json = ToJson(machine, catalog);
  json["prices"] = Json::array();
  for (const Price& price : catalog.PricesOf(machine)) json["prices"].push_back(ToJson(price, catalog));
  json["allreduce"] = Json::array();
  for (const AllReduceCurve& curve : catalog.curves()) {
    if (curve.machine == machine.name) json["allreduce"].push_back(ToJson(curve, catalog));
  }
  json["allreduce_thresholds"] = Json::array();
  for (const AllReduceThreshold& threshold : catalog.thresholds()) {
    if (threshold.machine == machine.name) json["allreduce_thresholds"].push_back(ToJson(threshold, catalog));
  }
  if (const auto topology = catalog.TopologyOf(machine)) json["topology"] = ToJson(*topology);
  return json;
}

int RunShow(const ShowFlags& flags, const std::vector<std::string>& argv) {
  CheckJsonFile(flags.output);
  const Catalog catalog = flags.catalog.Load();
  const bool show = flags.output.ShowText();
  Json document = DocumentHeader("stallscope.catalog/1", argv, 0);
  if (const Gpu* gpu = catalog.GpuOrNull(flags.name)) {
    document["gpus"] = {ToJson(*gpu, catalog)};
    if (show) PrintGpu(*gpu, catalog);
  } else if (const DatasetPreset* preset = catalog.DatasetOrNull(flags.name)) {
    document["datasets"] = {ToJson(*preset, catalog)};
    if (show) PrintDataset(*preset, catalog);
  } else {
    const Machine& machine = catalog.FindMachine(flags.name);
    document["machines"] = {MachineDocument(machine, catalog)};
    if (show) PrintMachine(machine, catalog);
  }
  if (!flags.output.json_file.empty()) WriteJson(flags.output, document.dump(2) + "\n");
  return kExitOk;
}

}  // namespace

std::function<int()> DeclareCatalogShow(CLI::App& app, const std::vector<std::string>& argv) {
  const auto flags = std::make_shared<ShowFlags>();
  app.add_option("name", flags->name, "a machine (p3.8xlarge, or aws/p3.8xlarge), a GPU or a data set")
      ->type_name("NAME")
      ->required();
  DeclareCatalogFiles(app, flags->catalog);
  DeclareOutput(app, flags->output);
  return [flags, argv] { return RunShow(*flags, argv); };
}

}  // namespace stallscope
