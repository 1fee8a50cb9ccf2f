#include "stallscope/catalog/tables.h"

#include "stallscope/catalog/catalog.h"
#include "stallscope/catalog/price_import.h"
#include "stallscope/catalog/skypilot_import.h"
#include "stallscope/predict/measurement_table.h"
#include "stallscope/report/run_series.h"
#include "tests/fuzz/scratch.h"
#include "tests/fuzz/targets.h"

namespace stallscope {
namespace {

const Catalog& Shipped() {
  static const Catalog catalog = Catalog::Load();
  return catalog;
}

}  // namespace

void ParseCatalog(std::string_view bytes) {
  CatalogTables tables;
  ReadTable(bytes, "fuzz.csv", tables, [](const Error&) {});
}

void ParsePrices(std::string_view bytes) {
  // The first byte says whose table it is.
  if (bytes.starts_with('#')) {
    ImportSkypilotPrices(bytes.substr(1), "vms.csv", {.provider = "aws", .date = "2026-08-22"}, Shipped());
  } else {
    PriceTable(ImportPrices(bytes, "prices.csv", Shipped()).prices);
  }
}

void ParseMeasurements(std::string_view bytes) {
  ReadMeasurements(bytes, "fuzz.csv");
}

void ParseSteps(std::string_view bytes) {
  static const ScratchFile file("steps.csv");
  file.Write(bytes);
  SeriesOfRun(file.path().parent_path(), {"solo", "node", "cluster"});
}

}  // namespace stallscope
