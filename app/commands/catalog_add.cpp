#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include "app/catalog_options.h"
#include "app/commands/catalog.h"
#include "app/document_header.h"
#include "app/output.h"
#include "stallscope/base/clock.h"
#include "stallscope/base/environment.h"
#include "stallscope/base/error.h"
#include "stallscope/catalog/check.h"
#include "stallscope/catalog/load.h"
#include "stallscope/catalog/price_import.h"
#include "stallscope/catalog/skypilot_import.h"
#include "stallscope/catalog/tables.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/document/store.h"

namespace stallscope {
namespace {

constexpr std::size_t kMostShown = 10;

struct AddFlags {
  std::string file;
  bool force = false;
  bool lenient = false;
  bool skypilot = false;
  std::string provider;
  std::string date;
  OutputOptions output;
};

/// Where the file is kept: under its own name. Throws where that is taken and may not be replaced.
std::filesystem::path PlaceFor(const std::string& name, bool force) {
  const std::filesystem::path folder = UserCatalogFolder(ProcessEnvironment());
  const std::filesystem::path place = folder / name;
  if (std::filesystem::exists(place) && !force) {
    throw Error(fmt::format("the catalog has a file '{}' already", place.string()),
                "give --force to replace it, or give the new file another name");
  }
  return place;
}

void Keep(const std::filesystem::path& place, const std::string& text) {
  std::error_code code;
  std::filesystem::create_directories(place.parent_path(), code);
  if (code) {
    throw Error(fmt::format("cannot make the folder '{}': {}", place.parent_path().string(), code.message()),
                "set XDG_DATA_HOME to a folder that you may write to");
  }
  WriteFileAtomically(place, text);
}

/// The first error that the file brings into the catalog.
void RequireSound(const std::string& file) {
  CatalogOptions options;
  options.files = {file};
  for (const CatalogProblem& problem : CheckCatalog(options).problems) {
    if (problem.is_error)
      throw Error(problem.what,
                  fmt::format("`stallscope catalog check {}` lists everything that is wrong", file));
  }
}

int RunAdd(const AddFlags& flags, const std::vector<std::string>& argv) {
  CheckJsonFile(flags.output);
  const std::filesystem::path file = flags.file;
  RequireSound(flags.file);
  CatalogTables tables;
  ReadUserFile(file, tables);
  const std::string name = Slug(file.stem().string()) + (file.extension() == ".json" ? ".json" : ".csv");
  const std::filesystem::path place = PlaceFor(name, flags.force);
  Keep(place, ReadFile(file));
  if (flags.output.ShowText()) {
    fmt::print("kept as {}\n", place.string());
    for (const Machine& machine : tables.machines) fmt::print("machine {}\n", FullName(machine));
    for (const Gpu& gpu : tables.gpus) fmt::print("GPU {}\n", gpu.name);
    if (!tables.prices.empty()) fmt::print("{} prices\n", tables.prices.size());
  }
  Json document = DocumentHeader("stallscope.catalog-add/1", argv, 0);
  document.update({{"file", place.string()},
                   {"machines", tables.machines.size()},
                   {"gpus", tables.gpus.size()},
                   {"prices", tables.prices.size()}});
  WriteJson(flags.output, document.dump(2) + "\n");
  return kExitOk;
}

std::string JoinNames(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void PrintImport(const PriceImport& import, const std::string& place) {
  fmt::print("{} rows: {} prices kept in {}\n", import.rows, import.prices.size(), place);
  for (const SkippedPrices& skipped : import.skipped)
    fmt::print("left out {:>6}  {} ({}{})\n", skipped.rows, skipped.reason, JoinNames(skipped.examples),
               skipped.rows > skipped.examples.size() ? ", ..." : "");
  for (std::size_t i = 0; i < import.bad.size() && i < kMostShown; ++i)
    fmt::print("bad row   {}\n", import.bad[i]);
  if (import.bad.size() > kMostShown)
    fmt::print("bad row   ... and {} more\n", import.bad.size() - kMostShown);
}

Json ImportToJson(const PriceImport& import) {
  Json json = {{"rows", import.rows}, {"kept", import.prices.size()}, {"left_out", Json::array()}};
  for (const SkippedPrices& skipped : import.skipped)
    json["left_out"].push_back(
        {{"reason", skipped.reason}, {"rows", skipped.rows}, {"examples", skipped.examples}});
  json["bad"] = import.bad;
  return json;
}

/// The day on which a file was last written.
std::string DayOf(const std::filesystem::path& file) {
  const auto written = std::chrono::file_clock::to_sys(std::filesystem::last_write_time(file));
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(written));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                     static_cast<unsigned>(day.day()));
}

void CheckDate(const AddFlags& flags) {
  if (flags.date.empty()) return;
  const std::string day = flags.date.starts_with("<=") ? flags.date.substr(2) : flags.date;
  if (!IsDate(day))
    throw UsageError(fmt::format("--date '{}' is no day", flags.date), "write it as 2026-08-22");
  if (day > UtcNow().substr(0, day.size()))
    throw UsageError(fmt::format("--date {} is in the future", flags.date), "give the day of the list");
}

/// SkyPilot keeps one table a provider, in a folder of its name.
PriceImport ReadSkypilot(const AddFlags& flags, const Catalog& catalog) {
  const std::filesystem::path file = flags.file;
  const std::string text = ReadFile(file);
  const std::string provider = flags.provider.empty()
                                   ? std::filesystem::absolute(file).parent_path().filename().string()
                                   : flags.provider;
  const bool known = std::any_of(catalog.machines().begin(), catalog.machines().end(),
                                 [&](const Machine& machine) { return machine.provider == provider; });
  if (!known) {
    throw UsageError(fmt::format("nothing says whose prices {} has", flags.file),
                     "give --provider aws (gcp, azure, ...)");
  }
  return ImportSkypilotPrices(text, flags.file,
                              {provider, flags.date.empty() ? "<=" + DayOf(file) : flags.date}, catalog);
}

int RunImport(const AddFlags& flags, const std::vector<std::string>& argv) {
  CheckJsonFile(flags.output);
  if (!flags.skypilot && !(flags.date.empty() && flags.provider.empty()))
    throw UsageError("--date and --provider are of tables that do not have them", "give --skypilot as well");
  CheckDate(flags);
  const std::filesystem::path file = flags.file;
  // Prices of machines that the user added are known as well.
  const Catalog catalog = CatalogFlags{}.Load();
  const PriceImport import =
      flags.skypilot ? ReadSkypilot(flags, catalog) : ImportPrices(ReadFile(file), flags.file, catalog);
  if (!import.bad.empty() && !flags.lenient) {
    throw Error(
        fmt::format(
            "{}{}", import.bad.front(),
            import.bad.size() > 1 ? fmt::format(" (and {} more bad rows)", import.bad.size() - 1) : ""),
        "correct the table, or give --lenient to import the rows that are sound");
  }
  if (import.prices.empty())
    throw Error(fmt::format("{} has no price of a machine that the catalog knows", flags.file),
                "`stallscope catalog list` shows the machines; `catalog add FILE` adds yours");
  // All of SkyPilot's tables are called vms.csv.
  const std::string stem =
      flags.skypilot ? "skypilot-" + import.prices.front().provider : file.stem().string();
  const std::filesystem::path place = PlaceFor("prices-" + Slug(stem) + ".csv", flags.force);
  Keep(place, PriceTable(import.prices));
  if (flags.output.ShowText()) PrintImport(import, place.string());
  Json document = DocumentHeader("stallscope.catalog-import/1", argv, 0);
  document["file"] = place.string();
  document.update(ImportToJson(import));
  WriteJson(flags.output, document.dump(2) + "\n");
  return kExitOk;
}

void DeclareFile(CLI::App& app, AddFlags& flags, const char* what) {
  app.add_option("file", flags.file, what)->type_name("FILE")->required();
  app.add_flag("--force", flags.force, "replace a file of that name in the catalog");
  DeclareOutput(app, flags.output);
}

}  // namespace

std::function<int()> DeclareCatalogAdd(CLI::App& app, const std::vector<std::string>& argv) {
  const auto flags = std::make_shared<AddFlags>();
  DeclareFile(app, *flags, "a table of machines, GPUs, prices, topologies or data sets, or a machine card");
  app.footer("docs/catalog.md lists the columns. Rows replace those of the same name.");
  return [flags, argv] { return RunAdd(*flags, argv); };
}

std::function<int()> DeclareCatalogImport(CLI::App& app, const std::vector<std::string>& argv) {
  const auto flags = std::make_shared<AddFlags>();
  DeclareFile(app, *flags, "a table with provider, region, instance, ondemand, spot, source and price_date");
  app.add_flag("--lenient", flags->lenient, "pass over rows that cannot be read, and say which");
  app.add_flag(
      "--skypilot", flags->skypilot,
      "a vms.csv of SkyPilot's catalog (github.com/skypilot-org/skypilot-catalog): one provider, all "
      "regions");
  app.add_option("--provider", flags->provider, "whose prices they are (default the folder's name)")
      ->type_name("NAME");
  app.add_option("--date", flags->date, "of the prices: 2026-08-22 (default the file's day, or earlier)")
      ->type_name("DAY");
  return [flags, argv] { return RunImport(*flags, argv); };
}

}  // namespace stallscope
