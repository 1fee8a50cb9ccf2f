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

/// Whether a part of a name was given, in any case: "v100" of "V100-SXM2-16GB".
bool NameHolds(const std::string& name, const std::string& part);

/// Throws UsageError with the nearest names where a value was given for the flag and is none of the known
/// ones; `others` ends that sentence where there is another way.
void RequireKnown(const std::string& given, const char* flag, std::vector<std::string> known,
                  const char* others = "");

/// Gives --provider and --region the catalog's spelling; what is empty was not given. Throws UsageError with
/// the nearest names where the catalog has nothing for them.
void ResolveFilters(const Catalog& catalog, std::string& provider, std::string& region);
/// Throws UsageError with the nearest names where no machine has such a GPU.
void RequireGpu(const Catalog& catalog, const std::string& gpu);

/// What stands between commas, without blanks around it.
std::vector<std::string> SplitList(const std::string& text);

}  // namespace stallscope
