#include "app/machine_file.h"

#include <filesystem>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/document/json_fields.h"

namespace stallscope {
namespace {

std::filesystem::path MachineFileAt(const std::string& given) {
  std::error_code ignored;
  const std::filesystem::path path(given);
  return std::filesystem::is_directory(path, ignored) ? path / "machine.json" : path;
}

}  // namespace

bool IsOfKind(const std::string& text, const char* schema_prefix) {
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object()) return false;
  const auto schema = document.find("schema");
  return schema != document.end() && schema->is_string() &&
         schema->get<std::string>().starts_with(schema_prefix);
}

std::optional<MachineCard> FindMachineAt(const std::string& given) {
  const std::filesystem::path file = MachineFileAt(given);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return std::nullopt;
  const std::string text = ReadFile(file);
  if (!IsOfKind(text, "stallscope.machine/")) return std::nullopt;
  return MachineCardFromJson(text, file.string());
}

MachineCard ReadMachineAt(const std::string& given) {
  const std::filesystem::path file = MachineFileAt(given);
  return MachineCardFromJson(ReadFile(file), file.string());
}

}  // namespace stallscope
