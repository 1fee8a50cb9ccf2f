#include "app/page_file.h"

#include <fmt/format.h>

#include <iostream>
#include <sstream>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/report/page.h"
#include "stallscope/report/run_series.h"

namespace stallscope {

void CheckReportFile(const std::string& flag, const std::string& file, bool force,
                     const OutputOptions& output) {
  if (file.empty()) return;
  if (file == "-") {
    if (!output.JsonOnStdout()) return;
    throw UsageError(fmt::format("{} - and --json - both go to standard output", flag),
                     "give one of them a file");
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw UsageError(fmt::format("{} {} is a folder", flag, file),
                     fmt::format("give a file: {} {}/page", flag, file));
  }
  if (!force && std::filesystem::exists(file, ignored)) {
    throw UsageError(fmt::format("{} {} exists already", flag, file),
                     "choose another file, or overwrite it with --force");
  }
  const std::filesystem::path parent = std::filesystem::path(file).parent_path();
  if (!parent.empty() && !std::filesystem::is_directory(parent, ignored)) {
    throw UsageError(fmt::format("{} {}: there is no folder '{}'", flag, file, parent.string()),
                     "make the folder first, or choose another");
  }
}

void PageFlags::Declare(CLI::App& app) {
  app.add_option("--html", html, "write a page as well, for the browser (-: standard output)")
      ->type_name("FILE")
      ->group("Output");
}

void PageFlags::DeclareWithForce(CLI::App& app) {
  Declare(app);
  app.add_flag("--force", force, "overwrite the page")->group("Output");
}

void PageFlags::Check(const OutputOptions& output, bool other_force) const {
  CheckReportFile("--html", html, force || other_force, output);
}

void PageFlags::Write(const std::string& json_text, const std::string& source) const {
  WriteDocumentPage(html, json_text, source);
}

void WriteDocumentPage(const std::string& html, const std::string& json_text, const std::string& source) {
  if (!html.empty()) WritePageFile(html, {ReadReportDocument(json_text, source)});
}

std::filesystem::path DocumentFileAt(const std::string& given) {
  std::error_code ignored;
  const std::filesystem::path path(given);
  if (!std::filesystem::is_directory(path, ignored)) return path;
  for (const char* name :
       {"profile.json", "machine.json", "observation.json", "self-test.json", "law.json"}) {
    if (std::filesystem::exists(path / name, ignored)) return path / name;
  }
  throw Error(fmt::format("the folder '{}' holds no profile.json and no other document", given),
              "give the --out folder of a finished run, or a document");
}

ReportDocument ReadDocumentAt(const std::string& given) {
  const std::filesystem::path file = DocumentFileAt(given);
  return ReadReportDocument(ReadFile(file), file.string());
}

void AddSeries(ReportDocument& document, const std::filesystem::path& folder) {
  if (document.kind != "profile") return;
  std::vector<std::string> conditions;
  for (const auto& [name, rung] : document.json["conditions"].items()) conditions.push_back(name);
  document.series = SeriesOfRun(folder, conditions);
}

void WritePageFile(const std::string& html, const std::vector<ReportDocument>& documents) {
  std::ostringstream page;
  WritePage(documents, page);
  WriteReportFile(html, page.str());
}

void WriteReportFile(const std::string& file, const std::string& text) {
  if (file == "-") {
    std::cout << text << std::flush;
  } else {
    WriteFileAtomically(file, text);
  }
}

}  // namespace stallscope
