#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "app/command.h"
#include "app/machine_file.h"
#include "app/output.h"
#include "app/page_file.h"
#include "app/profile_file.h"
#include "stallscope/base/error.h"
#include "stallscope/report/console.h"
#include "stallscope/report/machine_console.h"

namespace stallscope {
namespace {

struct ReportFlags {
  std::string file;
  std::string html;  ///< "-": standard output; empty: none
  bool force = false;
  OutputOptions output;
};

int ReportMachine(const ReportFlags& flags, const MachineCard& card) {
  if (!flags.html.empty()) {
    throw UsageError(fmt::format("'{}' is a machine card, and pages are made of profiles", flags.file),
                     "leave --html out");
  }
  if (flags.output.ShowText()) PrintMachine(card, flags.output.StyleOf(STDOUT_FILENO), std::cout);
  WriteJson(flags.output, ToJson(card));
  return kExitOk;
}

int RunReport(const ReportFlags& flags) {
  CheckJsonFile(flags.output);
  if (const auto card = FindMachineAt(flags.file)) return ReportMachine(flags, *card);
  const std::filesystem::path document = ProfileFileAt(flags.file);
  std::error_code ignored;
  // Not even --force means to lose the measurement.
  if (std::filesystem::equivalent(flags.html, document, ignored)) {
    throw UsageError(fmt::format("--html {} is the document itself", flags.html),
                     "give another file: --html page.html");
  }
  CheckPageFile(flags.html, flags.force, flags.output);
  const Profile profile = ReadProfileAt(flags.file);
  if (!flags.html.empty()) {
    WritePage(flags.html, profile);
    if (flags.output.ShowText() && flags.html != "-") fmt::print("wrote {}\n", flags.html);
  } else if (flags.output.ShowText()) {
    PrintProfile(profile, flags.output.StyleOf(STDOUT_FILENO), std::cout);
  }
  WriteJson(flags.output, ToJson(profile));
  return kExitOk;
}

}  // namespace

std::function<int()> DeclareReport(CLI::App& app, const std::vector<std::string>& /*argv*/) {
  const auto flags = std::make_shared<ReportFlags>();
  app.add_option("file", flags->file, "a profile or a machine card, or the --out folder that holds one")
      ->type_name("FILE")
      ->required();
  app.add_option("--html", flags->html,
                 "write a page that needs no network and runs no script (-: standard output)")
      ->type_name("FILE");
  app.add_flag("--force", flags->force, "overwrite the page");
  DeclareOutput(app, flags->output);
  return [flags] { return RunReport(*flags); };
}

}  // namespace stallscope
