#include "app/commands/probe_expect.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/machine_file.h"
#include "stallscope/base/error.h"

namespace stallscope {

std::vector<Quantity> ExpectedOf(const std::string& what) {
  std::error_code error;
  if (std::filesystem::exists(what, error)) return QuantitiesOf(ReadMachineAt(what));
  throw UsageError(fmt::format("--expect '{}' is no file", what),
                   "give a machine.json that `stallscope probe` wrote");
}

}  // namespace stallscope
