#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "app/catalog_options.h"
#include "app/commands/catalog.h"
#include "app/commands/catalog_text.h"
#include "app/document_header.h"
#include "app/output.h"
#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/base/names.h"
#include "stallscope/catalog/catalog_json.h"
#include "stallscope/catalog/facts.h"

namespace stallscope {
namespace {

struct ListFlags {
  std::string what = "machines";
  std::string provider;
  std::string gpu;
  std::string region;
  std::string sort = "name";
  CatalogFlags catalog;
  OutputOptions output;
};

std::vector<const Machine*> Chosen(const ListFlags& flags, const Catalog& catalog) {
  std::vector<const Machine*> chosen;
  for (const Machine& machine : catalog.machines()) {
    if (!flags.provider.empty() && machine.provider != flags.provider) continue;
    if (!NameHolds(machine.gpu, flags.gpu)) continue;
    if (!flags.region.empty() && catalog.PriceOf(machine, flags.region) == nullptr) continue;
    chosen.push_back(&machine);
  }
  const auto price = [&](const Machine* machine) {
    // Without a price: last.
    return catalog.UsdPerHour(*machine, flags.region, false).value_or(1e9);
  };
  if (flags.sort == "price")
    std::stable_sort(chosen.begin(), chosen.end(), [&](auto* a, auto* b) { return price(a) < price(b); });
  if (flags.sort == "gpu-price") {
    std::stable_sort(chosen.begin(), chosen.end(),
                     [&](auto* a, auto* b) { return price(a) / a->gpus < price(b) / b->gpus; });
  }
  if (flags.sort == "gpus")
    std::stable_sort(chosen.begin(), chosen.end(), [](auto* a, auto* b) { return a->gpus < b->gpus; });
  return chosen;
}

/// "infiniband 1600"; what TCP alone has is in the column before.
std::string FabricText(const Machine& machine) {
  if (!machine.fabric || machine.fabric->kind == "none") return "-";
  const auto& rate = machine.fabric->rate;
  return fmt::format("{} {}", machine.fabric->kind, rate ? fmt::format("{:g}", rate->value * 8 / 1e9) : "?");
}

void PrintMachines(const std::vector<const Machine*>& machines, const ListFlags& flags,
                   const Catalog& catalog) {
  constexpr const char* kRow = "{:<9} {:<34} {:<17} {:>5} {:>6} {:>5} {:>8} {:>15} {:>7} {:>7}  {}\n";
  fmt::print(kRow, "provider", "machine", "GPU", "GPUs", "mem/GB", "vCPUs", "net Gbit", "fabric Gbit",
             "USD/h", "spot", "priced");
  const std::string today = UtcNow();
  bool stale = false;
  bool credit = false;
  for (const Machine* machine : machines) {
    const Price* price = catalog.PriceOf(*machine, flags.region);
    const auto memory = MemoryPerGpu(*machine, catalog.GpuOrNull(machine->gpu));
    const auto network = SustainedNetwork(*machine);
    const bool limited =
        machine->burst == NetworkBurst::kCredit || machine->burst == NetworkBurst::kCeilingUnknown;
    credit = credit || limited;
    const bool old = price != nullptr && IsStale(*price, today);
    stale = stale || old;
    std::string when = price != nullptr ? price->date : std::string("no price");
    if (price != nullptr && price->date_is_latest) when = "<=" + when;
    if (old) when += " *";
    if (machine->availability == "retired") when += " retired";
    fmt::print(kRow, machine->provider, machine->name, machine->gpu, fmt::format("{:g}", machine->gpus),
               memory ? fmt::format("{:g}", memory->value / 1e9) : "-",
               machine->vcpus ? fmt::format("{}", *machine->vcpus) : "-",
               network ? fmt::format("{:g}{}", network->value * 8 / 1e9, limited ? "+" : "") : "-",
               FabricText(*machine), MoneyText(price != nullptr ? price->on_demand_usd_hour : std::nullopt),
               MoneyText(price != nullptr ? price->spot_usd_hour : std::nullopt), when);
  }
  fmt::print("{} machine{}; prices of {}", machines.size(), machines.size() == 1 ? "" : "s",
             flags.region.empty() ? "each provider's reference region" : flags.region);
  if (stale) fmt::print("; *: older than {} days", kStaleAfterDays);
  if (credit) fmt::print("; +: can be faster for some minutes");
  fmt::print("\n");
}

void PrintGpus(const Catalog& catalog) {
  constexpr const char* kRow = "{:<19} {:>6} {:>6} {:>6} {:>6} {:>7} {:>8} {:>5} {:>10}\n";
  fmt::print(kRow, "GPU", "fp32", "tf32", "fp16", "bf16", "mem/GB", "mem GB/s", "PCIe", "NVLink");
  const auto tera = [](const std::optional<FlopsPerSecond>& value) {
    return value ? fmt::format("{:g}", value->value / 1e12) : std::string("-");
  };
  for (const Gpu& gpu : catalog.gpus()) {
    fmt::print(kRow, gpu.name, tera(PeakFor(gpu, "fp32")), tera(gpu.tf32), tera(gpu.fp16), tera(gpu.bf16),
               gpu.memory ? fmt::format("{:g}", gpu.memory->value / 1e9) : "-",
               gpu.memory_bandwidth ? fmt::format("{:g}", gpu.memory_bandwidth->value / 1e9) : "-",
               gpu.pcie_generation ? fmt::format("{}", *gpu.pcie_generation) : "-",
               gpu.nvlink_one_way ? fmt::format("{:g}", gpu.nvlink_one_way->value / 1e9)
                                  : (gpu.nvlink.empty() ? "-" : gpu.nvlink));
  }
  fmt::print("TFLOPS dense, sustained where known; NVLink in GB/s one way, all links of a GPU\n");
}

void PrintDatasets(const Catalog& catalog) {
  fmt::print("{:<18} {:<7} {:>10} {:>9} {:>10} {:>8}\n", "data set", "kind", "samples", "bytes", "each",
             "classes");
  for (const DatasetPreset& preset : catalog.datasets()) {
    fmt::print("{:<18} {:<7} {:>10} {:>9} {:>10} {:>8}\n", preset.name, preset.kind, preset.samples,
               FormatBytes(preset.bytes.value), FormatBytes(preset.sample_bytes.value),
               preset.classes ? fmt::format("{}", *preset.classes) : "-");
  }
}

void PrintCurves(const Catalog& catalog) {
  for (const AllReduceCurve& curve : catalog.curves())
    fmt::print("{:<44} {}\n", curve.system, CurveText(curve));
  fmt::print("bus bandwidth of the largest message, 95 %; `catalog show NAME` has the sources\n");
}

template <typename Rows>
Json RowsToJson(const Rows& rows, const Catalog& catalog) {
  Json list = Json::array();
  for (const auto& row : rows) list.push_back(ToJson(row, catalog));
  return list;
}

Json MachinesToJson(const std::vector<const Machine*>& machines, const ListFlags& flags,
                    const Catalog& catalog) {
  Json list = Json::array();
  for (const Machine* machine : machines) {
    Json entry = ToJson(*machine, catalog);
    if (const Price* price = catalog.PriceOf(*machine, flags.region))
      entry["price"] = ToJson(*price, catalog);
    list.push_back(std::move(entry));
  }
  return list;
}

int RunList(ListFlags flags, const std::vector<std::string>& argv) {
  CheckJsonFile(flags.output);
  RequireKnown(flags.what, "list", {"machines", "gpus", "datasets", "allreduce"});
  RequireKnown(flags.sort, "--sort", {"name", "price", "gpu-price", "gpus"});
  const Catalog catalog = flags.catalog.Load();
  ResolveFilters(catalog, flags.provider, flags.region);
  RequireGpu(catalog, flags.gpu);
  const std::vector<const Machine*> machines = Chosen(flags, catalog);
  Json document = DocumentHeader("stallscope.catalog/1", argv, 0);
  const bool show = flags.output.ShowText();
  if (flags.what == "machines") {
    document["machines"] = MachinesToJson(machines, flags, catalog);
    if (show) PrintMachines(machines, flags, catalog);
  } else if (flags.what == "gpus") {
    document["gpus"] = RowsToJson(catalog.gpus(), catalog);
    if (show) PrintGpus(catalog);
  } else if (flags.what == "datasets") {
    document["datasets"] = RowsToJson(catalog.datasets(), catalog);
    if (show) PrintDatasets(catalog);
  } else {
    document["allreduce"] = RowsToJson(catalog.curves(), catalog);
    if (show) PrintCurves(catalog);
  }
  if (!flags.output.json_file.empty()) WriteJson(flags.output, document.dump(2) + "\n");
  return kExitOk;
}

}  // namespace

std::function<int()> DeclareCatalogList(CLI::App& app, const std::vector<std::string>& argv) {
  const auto flags = std::make_shared<ListFlags>();
  app.add_option("what", flags->what, "what to list (default machines)")
      ->type_name("machines|gpus|datasets|allreduce");
  app.add_option("--provider", flags->provider, "machines of this one only: aws, gcp, azure ...")
      ->type_name("NAME");
  app.add_option("--gpu", flags->gpu, "machines whose GPU has this in its name: V100")->type_name("TEXT");
  app.add_option("--region", flags->region, "prices of this region, and machines that have one there")
      ->type_name("NAME");
  app.add_option("--sort", flags->sort, "order (gpu-price: per GPU)")->type_name("name|price|gpu-price|gpus");
  DeclareCatalogFiles(app, flags->catalog);
  DeclareOutput(app, flags->output);
  return [flags, argv] { return RunList(*flags, argv); };
}

}  // namespace stallscope
