#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "stallscope/catalog/catalog.h"

namespace stallscope {

/// --catalog, for every command that looks into it.
struct CatalogFlags {
  std::vector<std::string> files;

  /// What is shipped, then the user's own folder, then the files.
  CatalogOptions Options() const;
  Catalog Load() const { return Catalog::Load(Options()); }
};

void DeclareCatalogFiles(CLI::App& app, CatalogFlags& flags);

}  // namespace stallscope
