#include <fmt/format.h>

#include <memory>

#include "app/catalog_options.h"
#include "app/commands/catalog.h"
#include "app/document_header.h"
#include "app/output.h"
#include "stallscope/base/error.h"
#include "stallscope/catalog/check.h"

namespace stallscope {
namespace {

struct CheckFlags {
  std::vector<std::string> files;
  CatalogFlags catalog;
  OutputOptions output;
};

int RunCheck(const CheckFlags& flags, const std::vector<std::string>& argv) {
  CheckJsonFile(flags.output);
  CatalogFlags all = flags.catalog;
  all.files.insert(all.files.end(), flags.files.begin(), flags.files.end());
  const CatalogCheck check = CheckCatalog(all.Options());
  std::size_t errors = 0;
  Json document = DocumentHeader("stallscope.catalog-check/1", argv, 0);
  document.update({{"files", check.files}, {"rows", check.rows}, {"problems", Json::array()}});
  for (const CatalogProblem& problem : check.problems) {
    errors += problem.is_error ? 1 : 0;
    document["problems"].push_back(
        {{"severity", problem.is_error ? "error" : "remark"}, {"what", problem.what}});
    if (flags.output.ShowText()) fmt::print("{}  {}\n", problem.is_error ? "error " : "remark", problem.what);
  }
  if (flags.output.ShowText()) {
    fmt::print("{} rows in {} files: {} errors, {} remarks\n", check.rows, check.files, errors,
               check.problems.size() - errors);
  }
  WriteJson(flags.output, document.dump(2) + "\n");
  if (errors > 0) {
    throw Error(fmt::format("the catalog has {} bad row{}", errors, errors == 1 ? "" : "s"),
                "correct the lines named above, or remove the file that they are in");
  }
  return kExitOk;
}

}  // namespace

std::function<int()> DeclareCatalogCheck(CLI::App& app, const std::vector<std::string>& argv) {
  const auto flags = std::make_shared<CheckFlags>();
  app.add_option("files", flags->files,
                 "tables or machine cards to check with the rest, before they are added")
      ->type_name("FILE")
      ->expected(0, -1);
  DeclareCatalogFiles(app, flags->catalog);
  DeclareOutput(app, flags->output);
  return [flags, argv] { return RunCheck(*flags, argv); };
}

}  // namespace stallscope
