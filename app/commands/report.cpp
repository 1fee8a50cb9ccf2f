#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>

#include "app/command.h"
#include "app/output.h"
#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/report/console.h"
#include "stallscope/report/html.h"

namespace stallscope {
namespace {

struct ReportFlags {
  std::string file;
  std::string html;  ///< "-": standard output; empty: none
  bool force = false;
  OutputOptions output;

  bool HtmlOnStdout() const { return html == "-"; }
};

/// The document itself, or the folder that a run left it in.
std::filesystem::path DocumentAt(const std::string& given) {
  std::error_code ignored;
  const std::filesystem::path path(given);
  if (!std::filesystem::is_directory(path, ignored)) return path;
  if (!std::filesystem::exists(path / "profile.json", ignored)) {
    throw Error(fmt::format("the folder '{}' holds no profile.json", given),
                "give the --out folder of a finished run, or a profile document");
  }
  return path / "profile.json";
}

void CheckPage(const ReportFlags& flags, const std::filesystem::path& document) {
  if (flags.html.empty()) return;
  if (flags.HtmlOnStdout()) {
    if (!flags.output.JsonOnStdout()) return;
    throw UsageError("--html - and --json - both go to standard output", "give one of them a file");
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(flags.html, ignored)) {
    throw UsageError(fmt::format("--html {} is a folder", flags.html), "give a file: --html page.html");
  }
  // Not even --force means to lose the measurement.
  if (std::filesystem::equivalent(flags.html, document, ignored)) {
    throw UsageError(fmt::format("--html {} is the document itself", flags.html),
                     "give another file: --html page.html");
  }
  if (!flags.force && std::filesystem::exists(flags.html, ignored)) {
    throw UsageError(fmt::format("--html {} exists already", flags.html),
                     "choose another file, or overwrite it with --force");
  }
}

void WritePage(const ReportFlags& flags, const Profile& profile) {
  std::ostringstream page;
  WriteHtml(profile, page);
  if (flags.HtmlOnStdout()) {
    std::cout << page.str() << std::flush;
    return;
  }
  WriteFileAtomically(flags.html, page.str());
  if (flags.output.ShowText()) fmt::print("wrote {}\n", flags.html);
}

int RunReport(const ReportFlags& flags) {
  CheckJsonFile(flags.output);
  const std::filesystem::path document = DocumentAt(flags.file);
  CheckPage(flags, document);
  const Profile profile = ProfileFromJson(ReadFile(document), document.string());
  if (!flags.html.empty()) {
    WritePage(flags, profile);
  } else if (flags.output.ShowText()) {
    PrintProfile(profile, flags.output.StyleOf(STDOUT_FILENO), std::cout);
  }
  WriteJson(flags.output, ToJson(profile));
  return kExitOk;
}

}  // namespace

std::function<int()> DeclareReport(CLI::App& app, const std::vector<std::string>& /*argv*/) {
  const auto flags = std::make_shared<ReportFlags>();
  app.add_option("file", flags->file, "a profile document, or the --out folder that holds one")
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
