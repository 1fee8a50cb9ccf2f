#include "stallscope/catalog/skypilot_import.h"

#include <fmt/format.h>

#include <map>

#include "stallscope/base/csv_table.h"
#include "stallscope/base/error.h"

namespace stallscope {
namespace {

/// The least over zones; what no zone names is absent.
struct ZonePrices {
  std::optional<double> on_demand;
  std::optional<double> spot;

  void Take(const ZonePrices& other) {
    const auto least = [](std::optional<double>& mine, const std::optional<double>& theirs) {
      if (theirs && (!mine || *theirs < *mine)) mine = theirs;
    };
    least(on_demand, other.on_demand);
    least(spot, other.spot);
  }
};

/// By name and region.
using PricesByPlace = std::map<std::pair<std::string, std::string>, ZonePrices>;

struct SkypilotRows {
  PricesByPlace machines;
  PricesByPlace accelerators;  ///< by "8xV100": rented apart from a machine
  std::size_t rows = 0;
  std::vector<std::string> bad;
};

void TakeRow(const CsvRow& row, SkypilotRows& all) {
  const std::string region = row.RequiredText("Region");
  const ZonePrices prices{PriceIn(row, "Price"), PriceIn(row, "SpotPrice")};
  const std::string machine = row.Text("InstanceType");
  if (!machine.empty()) {
    all.machines[{machine, region}].Take(prices);
  } else {
    const double count = row.RequiredNumber("AcceleratorCount");
    all.accelerators[{fmt::format("{:g}x{}", count, row.RequiredText("AcceleratorName")), region}].Take(
        prices);
  }
}

SkypilotRows ReadRows(const CsvTable& table) {
  for (const char* column : {"InstanceType", "Region", "Price", "SpotPrice"}) {
    if (!table.ColumnOf(column)) {
      throw Error(
          fmt::format("{} is no price table of SkyPilot: it has no column '{}'", table.source(), column),
          "give a vms.csv of SkyPilot's catalog, or leave --skypilot out");
    }
  }
  SkypilotRows all;
  for (const CsvTable::Row& row : table.rows()) {
    ++all.rows;
    try {
      TakeRow(CsvRow(table, row), all);
    } catch (const Error& error) {
      all.bad.emplace_back(error.what());
    }
  }
  return all;
}

/// What SkyPilot may call the GPUs of a machine, best first: "8xA100-80GB" and "8xA100" for A100-SXM4-80GB.
std::vector<std::string> AcceleratorNames(const Machine& machine) {
  const std::size_t plus = machine.name.find('+');
  if (plus != std::string::npos) return {machine.name.substr(plus + 1)};
  const std::string family = machine.gpu.substr(0, machine.gpu.find('-'));
  std::vector<std::string> names = {machine.gpu,
                                    family + "-" + machine.gpu.substr(machine.gpu.rfind('-') + 1), family};
  if (machine.name.find("mega") != std::string::npos) names.insert(names.begin(), family + "-MEGA");
  for (std::string& name : names) name = fmt::format("{:g}x{}", machine.gpus, name);
  return names;
}

/// A machine with its GPUs, in every region that lists both.
PricesByPlace SumsOf(const Machine& machine, const SkypilotRows& all) {
  const std::string host = machine.name.substr(0, machine.name.find('+'));
  PricesByPlace sums;
  for (const auto& [place, price] : all.machines) {
    if (place.first != host) continue;
    for (const std::string& name : AcceleratorNames(machine)) {
      const auto extra = all.accelerators.find({name, place.second});
      if (extra == all.accelerators.end()) continue;
      const auto sum = [](const std::optional<double>& a, const std::optional<double>& b) {
        return a && b ? std::optional(*a + *b) : std::nullopt;
      };
      sums[{machine.name, place.second}] = {sum(price.on_demand, extra->second.on_demand),
                                            sum(price.spot, extra->second.spot)};
      break;
    }
  }
  return sums;
}

/// Where the table lists GPUs apart, a machine of the catalog costs both together; the host alone is no
/// price.
void AddAccelerators(const std::string& provider, const Catalog& catalog, SkypilotRows& all) {
  if (all.accelerators.empty()) return;
  PricesByPlace whole;
  for (const Machine& machine : catalog.machines()) {
    if (machine.provider == provider) whole.merge(SumsOf(machine, all));
  }
  all.machines = std::move(whole);
}

}  // namespace

PriceImport ImportSkypilotPrices(std::string_view text, const std::string& source, const SkypilotTable& table,
                                 const Catalog& catalog) {
  SkypilotRows all = ReadRows(CsvTable::Parse(text, source));
  AddAccelerators(table.provider, catalog, all);
  const auto cell = [](const std::optional<double>& price) {
    return price ? fmt::format("{}", *price) : std::string();
  };
  std::string converted = "provider,region,instance,ondemand,spot,source,price_date\n";
  for (const auto& [place, price] : all.machines) {
    converted += fmt::format("{},{},{},{},{},{},{}\n", CsvCell(table.provider), CsvCell(place.second),
                             CsvCell(place.first), cell(price.on_demand), cell(price.spot),
                             CsvCell("skypilot " + source), CsvCell(table.date));
  }
  PriceImport import = ImportPrices(converted, source, catalog);
  import.rows = all.rows;
  import.bad.insert(import.bad.begin(), all.bad.begin(), all.bad.end());
  return import;
}

}  // namespace stallscope
