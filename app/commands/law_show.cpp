#include <unistd.h>

#include <iostream>
#include <memory>

#include "app/commands/law.h"
#include "app/commands/law_delivery.h"
#include "app/page_file.h"
#include "stallscope/base/error.h"
#include "stallscope/law/law_document.h"
#include "stallscope/machine/host.h"
#include "stallscope/report/law_console.h"

namespace stallscope {
namespace {

constexpr double kMostParameters = 1e15;

struct LawFitFlags {
  std::vector<std::string> folders;
  double small_millions = 30;
  std::string html;
  std::string store;
  bool no_store = false;
  bool force = false;
  std::uint64_t seed = 1;
  OutputOptions output;
};

int RunLawFit(const LawFitFlags& flags, const std::vector<std::string>& argv) {
  if (flags.folders.empty()) throw UsageError("no sweep was given", "name the --out folder of a law sweep");
  if (!(flags.small_millions > 0 && flags.small_millions * 1e6 < kMostParameters))
    throw UsageError("--extrapolate-from must be above zero", "give millions of parameters, such as 30");
  CheckJsonFile(flags.output);
  CheckReportFile("--html", flags.html, flags.force, flags.output);
  Sweep sweep = ReadSweep(flags.folders.front());
  for (std::size_t i = 1; i < flags.folders.size(); ++i) Merge(sweep, ReadSweep(flags.folders[i]));
  const LawOptions options{.seed = flags.seed,
                           .small_parameters = static_cast<std::int64_t>(1e6 * flags.small_millions)};
  DeliverLaw(MakeLaw(sweep, options), argv,
             {.file = "",
              .html = flags.html,
              .store = flags.store,
              .keep_in_store = !flags.no_store,
              .output = flags.output});
  return kExitOk;
}

struct LawShowFlags {
  std::string file;
  std::string store;
  PageFlags page;
  OutputOptions output;
};

Law LawToShow(const LawShowFlags& flags) {
  if (!flags.file.empty()) return ReadLawAt(flags.file);
  auto newest = NewestLaw(flags.store, ReadHost({}).name);
  if (!newest) newest = NewestLaw(flags.store, std::nullopt);
  if (!newest) {
    throw Error("the store holds no law", "measure one: stallscope law sweep, or name a law.json");
  }
  if (flags.output.ShowText()) std::cerr << "showing " << newest->file << '\n';
  return newest->law;
}

int RunLawShow(const LawShowFlags& flags) {
  CheckJsonFile(flags.output);
  flags.page.Check(flags.output);
  const Law law = LawToShow(flags);
  if (flags.output.ShowText() && !flags.page.OnStdout()) {
    PrintLaw(law, flags.output.StyleOf(STDOUT_FILENO), std::cout);
    std::cout << std::flush;
  }
  const std::string text = ToJson(law);
  WriteJson(flags.output, text);
  flags.page.Write(text, "stallscope law show");
  return kExitOk;
}

}  // namespace

std::function<int()> DeclareLawFit(CLI::App& app, const std::vector<std::string>& argv) {
  const auto flags = std::make_shared<LawFitFlags>();
  app.add_option("sweeps", flags->folders, "--out folders of sweeps on one machine, fitted together")
      ->type_name("DIR")
      ->expected(0, -1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--extrapolate-from", flags->small_millions,
                 "networks below so many million parameters fit the law that is tried on the others "
                 "(default 30)")
      ->type_name("N");
  app.add_option("--seed", flags->seed, "of the resampled networks (default 1)")->type_name("N");
  app.add_option("--html", flags->html, "write a page as well, for the browser")->type_name("FILE");
  app.add_option("--store", flags->store, "keep the law there instead of in the usual store")
      ->type_name("DIR");
  app.add_flag("--no-store", flags->no_store, "do not keep the law in the store");
  app.add_flag("--force", flags->force, "overwrite the page");
  DeclareOutput(app, flags->output);
  app.footer("Example: stallscope law fit sweep --json law.json");
  return [flags, argv] { return RunLawFit(*flags, argv); };
}

std::function<int()> DeclareLawShow(CLI::App& app, const std::vector<std::string>& /*argv*/) {
  const auto flags = std::make_shared<LawShowFlags>();
  app.add_option("law", flags->file,
                 "law.json, or the folder of a sweep (default: the newest of this machine in the store)")
      ->type_name("FILE");
  app.add_option("--store", flags->store, "look there instead of in the usual store")->type_name("DIR");
  flags->page.DeclareWithForce(app);
  DeclareOutput(app, flags->output);
  app.footer("Example: stallscope law show sweep/law.json");
  return [flags] { return RunLawShow(*flags); };
}

}  // namespace stallscope
