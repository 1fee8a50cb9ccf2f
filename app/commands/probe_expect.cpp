#include "app/commands/probe_expect.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/machine_file.h"
#include "stallscope/base/error.h"
#include "stallscope/catalog/expected.h"

namespace stallscope {

std::vector<Quantity> ExpectedOf(const std::string& what, const CatalogFlags& catalog_flags) {
  std::error_code error;
  if (std::filesystem::exists(what, error)) return QuantitiesOf(ReadMachineAt(what));
  // What has a folder or an ending was meant as a file.
  if (what.find('/') != std::string::npos || what.ends_with(".json")) {
    throw UsageError(
        fmt::format("--expect '{}' does not exist", what),
        "give a machine.json that `stallscope probe` wrote, or a machine of `stallscope catalog list`");
  }
  const Catalog catalog = catalog_flags.Load();
  return ExpectedQuantities(catalog, catalog.FindMachine(what));
}

}  // namespace stallscope
