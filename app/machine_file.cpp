#include "app/machine_file.h"

#include <filesystem>

#include "stallscope/document/atomic_file.h"

namespace stallscope {
namespace {

std::filesystem::path MachineFileAt(const std::string& given) {
  std::error_code ignored;
  const std::filesystem::path path(given);
  return std::filesystem::is_directory(path, ignored) ? path / "machine.json" : path;
}

}  // namespace

MachineCard ReadMachineAt(const std::string& given) {
  const std::filesystem::path file = MachineFileAt(given);
  return MachineCardFromJson(ReadFile(file), file.string());
}

}  // namespace stallscope
