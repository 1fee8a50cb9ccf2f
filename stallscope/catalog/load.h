#pragma once

#include <filesystem>
#include <vector>

#include "stallscope/base/environment.h"
#include "stallscope/catalog/catalog.h"
#include "stallscope/catalog/tables.h"

namespace stallscope {

/// All tables that the options name, shipped ones first.
CatalogTables LoadTables(const CatalogOptions& options, const OnBadRow& on_bad_row = ThrowBadRow);

/// Adds the rows of one file of a user: a table of the catalog, or a machine card.
void ReadUserFile(const std::filesystem::path& path, CatalogTables& tables,
                  const OnBadRow& on_bad_row = ThrowBadRow);

/// Where `catalog add` and `catalog import` keep files: "catalog" in the store's folder.
std::filesystem::path UserCatalogFolder(const Environment& environment);

/// Its tables and cards, by name; none where the folder is missing.
std::vector<std::filesystem::path> UserCatalogFiles(const std::filesystem::path& folder);

}  // namespace stallscope
