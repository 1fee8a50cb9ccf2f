#include "stallscope/catalog/price_import.h"

#include <fmt/format.h>

#include <algorithm>

#include "stallscope/base/csv_table.h"
#include "stallscope/base/error.h"
#include "stallscope/catalog/tables.h"

namespace stallscope {
namespace {

constexpr std::size_t kExamples = 3;

/// What the columns of a price table are called.
struct Columns {
  const char* machine;
  const char* on_demand;
  const char* spot;
  const char* date;
};
constexpr Columns kAllRegions = {"instance", "ondemand", "spot", "price_date"};
constexpr Columns kOwn = {"machine", "on_demand_usd_hour", "spot_usd_hour", "date"};

Columns ColumnsOf(const CsvTable& table) {
  for (const Columns& columns : {kAllRegions, kOwn}) {
    bool fits = table.ColumnOf("provider") && table.ColumnOf("region");
    for (const char* name : {columns.machine, columns.on_demand, columns.date})
      fits = fits && table.ColumnOf(name).has_value();
    if (fits) return columns;
  }
  throw Error(fmt::format("{} is no price table", table.source()),
              "its first line must name provider, region, instance, ondemand, spot, source and price_date");
}

class Importer {
 public:
  Importer(const CsvTable& table, const Catalog& catalog)
      : table_(table), catalog_(catalog), columns_(ColumnsOf(table)) {}

  PriceImport Run() {
    for (const CsvTable::Row& row : table_.rows()) {
      ++result_.rows;
      try {
        Take(CsvRow(table_, row));
      } catch (const Error& error) {
        result_.bad.emplace_back(error.what());
      }
    }
    return std::move(result_);
  }

 private:
  void Take(const CsvRow& row) {
    const std::string name = row.RequiredText("provider") + "/" + row.RequiredText(columns_.machine);
    Price price{.provider = row.Text("provider"),
                .machine = row.Text(columns_.machine),
                .region = row.Text("region"),
                .on_demand_usd_hour = PriceIn(row, columns_.on_demand),
                .spot_usd_hour = PriceIn(row, columns_.spot),
                .date = row.RequiredText(columns_.date),
                .provenance = {.file = row.source(), .line = row.line(), .sources = row.List("source")}};
    if (price.date.starts_with("<=")) {
      price.date.erase(0, 2);
      price.date_is_latest = true;
    }
    if (!IsDate(price.date))
      row.Fail(columns_.date, fmt::format("is '{}'; write it as 2026-08-22", price.date));
    if (!price.on_demand_usd_hour && !price.spot_usd_hour) {
      Skip("no price", name);
    } else if (price.region.empty()) {
      Skip("no region", name);
    } else if (const Machine* machine = catalog_.MachineOrNull(name)) {
      price.machine = machine->name;
      result_.prices.push_back(std::move(price));
    } else {
      Skip(fmt::format("machines of {} that the catalog does not know", price.provider), name);
    }
  }

  void Skip(const std::string& reason, const std::string& machine) {
    auto found = std::find_if(result_.skipped.begin(), result_.skipped.end(),
                              [&](const SkippedPrices& skipped) { return skipped.reason == reason; });
    if (found == result_.skipped.end()) found = result_.skipped.insert(found, {.reason = reason});
    ++found->rows;
    const bool seen =
        std::find(found->examples.begin(), found->examples.end(), machine) != found->examples.end();
    if (!seen && found->examples.size() < kExamples) found->examples.push_back(machine);
  }

  const CsvTable& table_;
  const Catalog& catalog_;
  Columns columns_;
  PriceImport result_;
};

std::string Number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

}  // namespace

std::optional<double> PriceIn(const CsvRow& row, const char* column) {
  const auto price = row.Number(column);
  if (price == 0.0) row.Fail(column, "is 0, which nobody charges; leave it blank");
  return price;
}

PriceImport ImportPrices(std::string_view text, const std::string& source, const Catalog& catalog) {
  const CsvTable table = CsvTable::Parse(text, source);
  return Importer(table, catalog).Run();
}

std::string PriceTable(const std::vector<Price>& prices) {
  std::string text =
      "provider,machine,region,on_demand_usd_hour,spot_usd_hour,date,date_is_latest,source,note\n";
  for (const Price& price : prices) {
    std::string sources;
    for (const std::string& source : price.provenance.sources)
      sources += (sources.empty() ? "" : ";") + source;
    text += fmt::format("{},{},{},{},{},{},{},{},{}\n", CsvCell(price.provider), CsvCell(price.machine),
                        CsvCell(price.region), Number(price.on_demand_usd_hour), Number(price.spot_usd_hour),
                        price.date, price.date_is_latest ? "yes" : "", CsvCell(sources),
                        CsvCell(price.provenance.note));
  }
  return text;
}

}  // namespace stallscope
