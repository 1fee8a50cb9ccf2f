#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <utility>

#include "app/command.h"
#include "app/output.h"
#include "app/page_file.h"
#include "stallscope/base/error.h"
#include "stallscope/report/document_text.h"
#include "stallscope/report/tables_csv.h"
#include "stallscope/report/tables_markdown.h"
#include "stallscope/report/trace.h"

namespace stallscope {
namespace {

struct ReportFlags {
  std::vector<std::string> files;
  // Each "-" for standard output, or empty for none.
  std::string html;
  std::string markdown;
  std::string csv;
  std::string trace;
  bool force = false;
  OutputOptions output;

  std::vector<std::pair<const char*, const std::string*>> Written() const {
    std::vector<std::pair<const char*, const std::string*>> written;
    for (const auto& [flag, file] :
         {std::pair{"--html", &html}, {"--markdown", &markdown}, {"--csv", &csv}, {"--trace", &trace}}) {
      if (!file->empty()) written.emplace_back(flag, file);
    }
    return written;
  }
};

void CheckFlags(const ReportFlags& flags) {
  if (flags.files.empty()) {
    throw UsageError("no document was given", "name a file, or the --out folder of a run");
  }
  CheckJsonFile(flags.output);
  if (flags.files.size() > 1 && !flags.output.json_file.empty()) {
    throw UsageError("--json writes one document, and several were given", "give one, or leave --json out");
  }
  if (flags.files.size() > 1 && !flags.trace.empty()) {
    throw UsageError("--trace is made of one run, and several were given", "give one folder");
  }
  int to_stdout = 0;
  for (const auto& [flag, file] : flags.Written()) {
    for (const std::string& given : flags.files) {
      std::error_code ignored;
      // Not even --force means to lose the measurement.
      if (std::filesystem::equivalent(*file, DocumentFileAt(given), ignored)) {
        throw UsageError(fmt::format("{} {} is the document itself", flag, *file),
                         fmt::format("give another file: {} page.html", flag));
      }
    }
    CheckReportFile(flag, *file, flags.force, flags.output);
    to_stdout += *file == "-" ? 1 : 0;
  }
  if (to_stdout > 1) throw UsageError("several reports go to standard output", "give all but one a file");
}

void WriteTraceFile(const ReportFlags& flags, const ReportDocument& document) {
  const std::filesystem::path folder = DocumentFileAt(flags.files.front()).parent_path();
  if (flags.trace == "-") {
    WriteTrace(document, folder, std::cout);
    return;
  }
  // A trace may be larger than memory: it is written as it is made, under a name of its own.
  const std::string unfinished = flags.trace + ".part";
  try {
    std::ofstream out(unfinished, std::ios::binary);
    WriteTrace(document, folder, out);
    out.close();
    if (!out) throw Error(fmt::format("cannot write {}", flags.trace), "free some space on that disk");
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(unfinished, ignored);
    throw;
  }
  std::filesystem::rename(unfinished, flags.trace);
}

int RunReport(const ReportFlags& flags) {
  CheckFlags(flags);
  std::vector<ReportDocument> documents;
  for (const std::string& file : flags.files) {
    documents.push_back(ReadDocumentAt(file));
    if (!flags.html.empty()) AddSeries(documents.back(), DocumentFileAt(file).parent_path());
  }
  const auto text = [&](auto write) {
    std::ostringstream out;
    write(documents, out);
    return out.str();
  };
  if (!flags.trace.empty()) WriteTraceFile(flags, documents.front());
  if (!flags.html.empty()) WritePageFile(flags.html, documents);
  if (!flags.markdown.empty()) WriteReportFile(flags.markdown, text(WriteMarkdown));
  if (!flags.csv.empty()) WriteReportFile(flags.csv, text(WriteTablesCsv));
  const auto written = flags.Written();
  if (flags.output.ShowText()) {
    for (const auto& [flag, file] : written) {
      if (*file != "-") fmt::print(stderr, "wrote {}\n", *file);
    }
    if (written.empty()) {
      for (const ReportDocument& document : documents) {
        if (&document != &documents.front()) std::cout << '\n';
        PrintDocument(document, flags.output.StyleOf(STDOUT_FILENO), std::cout);
      }
    }
  }
  WriteJson(flags.output, documents.front().json.dump(2) + "\n");
  return kExitOk;
}

}  // namespace

std::function<int()> DeclareReport(CLI::App& app, const std::vector<std::string>& /*argv*/) {
  const auto flags = std::make_shared<ReportFlags>();
  app.add_option("files", flags->files, "documents of any kind, or the --out folders that hold them")
      ->type_name("FILE")
      ->expected(0, -1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  const auto add = [&](const char* flag, std::string& file, const char* what) {
    app.add_option(flag, file, what)->type_name("FILE");
  };
  add("--html", flags->html, "write a page for the browser, which needs no network (-: standard output)");
  add("--markdown", flags->markdown, "write the tables as Markdown");
  add("--csv", flags->csv, "write every number with unit, interval and basis, one a line");
  add("--trace", flags->trace,
      "write a run's steps, buckets and samples as a trace for ui.perfetto.dev or chrome://tracing");
  app.add_flag("--force", flags->force, "overwrite files that exist");
  DeclareOutput(app, flags->output);
  app.footer("Example: stallscope report stallscope-20261117-120000 --html page.html --trace trace.json");
  return [flags] { return RunReport(*flags); };
}

}  // namespace stallscope
