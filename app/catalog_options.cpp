#include "app/catalog_options.h"

#include <fmt/format.h>

#include <filesystem>

#include "stallscope/base/environment.h"
#include "stallscope/base/error.h"
#include "stallscope/catalog/load.h"

namespace stallscope {

CatalogOptions CatalogFlags::Options() const {
  CatalogOptions options;
  try {
    options.user_folder = UserCatalogFolder(ProcessEnvironment());
  } catch (const UsageError&) {
    // Without a home there is no folder of the user's.
  }
  for (const std::string& file : files) {
    if (!std::filesystem::exists(file))
      throw UsageError(fmt::format("--catalog '{}' does not exist", file), "give a table or a machine card");
    options.files.emplace_back(file);
  }
  return options;
}

void DeclareCatalogFiles(CLI::App& app, CatalogFlags& flags) {
  app.add_option("--catalog", flags.files,
                 "a table of yours, or a machine card, on top of the catalog; later rows win (repeatable)")
      ->type_name("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace stallscope
