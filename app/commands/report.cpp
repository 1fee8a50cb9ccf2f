#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "app/command.h"
#include "app/machine_file.h"
#include "app/output.h"
#include "app/page_file.h"
#include "app/prediction_file.h"
#include "app/profile_file.h"
#include "stallscope/base/error.h"
#include "stallscope/report/console.h"
#include "stallscope/report/machine_console.h"
#include "stallscope/report/prediction_console.h"

namespace stallscope {
namespace {

struct ReportFlags {
  std::string file;
  std::string html;  ///< "-": standard output; empty: none
  bool force = false;
  OutputOptions output;
};

void RefusePage(const ReportFlags& flags, const char* kind) {
  if (flags.html.empty()) return;
  throw UsageError(fmt::format("'{}' is {}, and pages are made of profiles", flags.file, kind),
                   "leave --html out");
}

int ReportMachine(const ReportFlags& flags, const MachineCard& card) {
  RefusePage(flags, "a machine card");
  if (flags.output.ShowText()) PrintMachine(card, flags.output.StyleOf(STDOUT_FILENO), std::cout);
  WriteJson(flags.output, ToJson(card));
  return kExitOk;
}

int ReportPrediction(const ReportFlags& flags, const Prediction& prediction) {
  RefusePage(flags, "a prediction");
  if (flags.output.ShowText()) {
    PrintPrediction(prediction, flags.output.StyleOf(STDOUT_FILENO), std::cout);
  }
  WriteJson(flags.output, ToJson(prediction));
  return kExitOk;
}

int RunReport(const ReportFlags& flags) {
  CheckJsonFile(flags.output);
  if (const auto card = FindMachineAt(flags.file)) return ReportMachine(flags, *card);
  if (const auto prediction = FindPredictionAt(flags.file)) return ReportPrediction(flags, *prediction);
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
  app.add_option("file", flags->file,
                 "a profile, a machine card or a prediction, or the --out folder that holds one")
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
