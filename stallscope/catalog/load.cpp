#include "stallscope/catalog/load.h"

#include <fmt/format.h>

#include <algorithm>

#include "stallscope/catalog/catalog_files.h"
#include "stallscope/catalog/machine_card_entry.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/document/store.h"

namespace stallscope {

void ReadUserFile(const std::filesystem::path& path, CatalogTables& tables, const OnBadRow& on_bad_row) {
  const std::string text = ReadFile(path);
  if (path.extension() == ".json") {
    tables.machines.push_back(MachineFromCard(text, path.string()));
  } else {
    ReadTable(text, path.string(), tables, on_bad_row);
  }
}

std::filesystem::path UserCatalogFolder(const Environment& environment) {
  return StoreFolder("", environment) / "catalog";
}

std::vector<std::filesystem::path> UserCatalogFiles(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code code;
  std::filesystem::directory_iterator entries(folder, code);
  if (code == std::errc::no_such_file_or_directory) return files;
  for (; !code && entries != std::filesystem::directory_iterator(); entries.increment(code)) {
    const std::filesystem::path& path = entries->path();
    const bool known = path.extension() == ".csv" || path.extension() == ".json";
    if (known && !path.filename().string().starts_with(".")) files.push_back(path);
  }
  if (code) {
    throw Error(fmt::format("cannot read the catalog '{}': {}", folder.string(), code.message()),
                "check the folder's permissions");
  }
  std::sort(files.begin(), files.end());
  return files;
}

CatalogTables LoadTables(const CatalogOptions& options, const OnBadRow& on_bad_row) {
  CatalogTables tables;
  if (options.shipped) {
    for (const EmbeddedFile& file : CatalogFiles())
      ReadTable(file.text, fmt::format("data/{}", file.name), tables, on_bad_row);
  }
  if (options.user_folder) {
    for (const auto& path : UserCatalogFiles(*options.user_folder)) ReadUserFile(path, tables, on_bad_row);
  }
  for (const auto& path : options.files) ReadUserFile(path, tables, on_bad_row);
  return tables;
}

}  // namespace stallscope
