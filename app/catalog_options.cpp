#include "app/catalog_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "stallscope/base/environment.h"
#include "stallscope/base/error.h"
#include "stallscope/base/names.h"
#include "stallscope/catalog/facts.h"
#include "stallscope/catalog/load.h"

namespace stallscope {
void RequireKnown(const std::string& given, const char* flag, std::vector<std::string> known,
                  const char* others) {
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  if (given.empty() || std::find(known.begin(), known.end(), given) != known.end()) return;
  const auto near = NearestNames(given, known);
  throw UsageError(fmt::format("the catalog has nothing for {} '{}'", flag, given),
                   (near.empty() ? fmt::format("it knows {}", JoinAlternatives(known))
                                 : fmt::format("did you mean {}?", JoinAlternatives(near))) +
                       others);
}

bool NameHolds(const std::string& name, const std::string& part) {
  return LowerCase(name).find(LowerCase(part)) != std::string::npos;
}

void ResolveFilters(const Catalog& catalog, std::string& provider, std::string& region) {
  std::vector<std::string> providers;
  std::vector<std::string> regions;
  for (const Machine& machine : catalog.machines()) providers.push_back(machine.provider);
  for (const Price& price : catalog.prices()) regions.push_back(price.region);
  const auto respell = [](std::string& given, const std::vector<std::string>& known) {
    for (const std::string& name : known) {
      if (LowerCase(name) != LowerCase(given)) continue;
      given = name;
      return;
    }
  };
  respell(provider, providers);
  respell(region, regions);
  RequireKnown(provider, "--provider", providers);
  RequireKnown(region, "--region", regions,
               "; prices of other regions come by stallscope catalog import FILE");
}

void RequireGpu(const Catalog& catalog, const std::string& gpu) {
  const bool any = std::any_of(catalog.machines().begin(), catalog.machines().end(),
                               [&](const Machine& machine) { return NameHolds(machine.gpu, gpu); });
  if (!any) catalog.FindGpu(gpu);  // says which is near
}

std::vector<std::string> SplitList(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

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
