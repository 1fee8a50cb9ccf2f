#include "app/commands/catalog.h"

#include <array>

#include "app/command.h"
#include "app/subcommands.h"

namespace stallscope {
namespace {

constexpr std::array kCatalogCommands = {
    Command{"list", "Commands", "machines with their prices; or GPUs, data sets, published all-reduces",
            DeclareCatalogList},
    Command{"show", "Commands", "all that is known of a machine, a GPU or a data set, with sources",
            DeclareCatalogShow},
    Command{"check", "Commands", "is every row sound, and does every name lead somewhere?",
            DeclareCatalogCheck},
    Command{"add", "Commands", "keep a table or a machine card of yours in the catalog", DeclareCatalogAdd},
    Command{"import", "Commands", "keep the prices of a table of all regions", DeclareCatalogImport},
};

}  // namespace

std::function<int()> DeclareCatalog(CLI::App& app, const std::vector<std::string>& argv) {
  app.footer(
      "Example: stallscope catalog list --provider aws --gpu V100 && stallscope catalog show p3.8xlarge");
  return DeclareSubcommands(app, argv, kCatalogCommands);
}

}  // namespace stallscope
