#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/output.h"
#include "stallscope/report/report_document.h"

namespace stallscope {

/// Throws UsageError where `flag` ("--html") names a folder, a file that exists (without `force`), or
/// standard output that --json writes to already. Empty: none is wanted.
void CheckReportFile(const std::string& flag, const std::string& file, bool force,
                     const OutputOptions& output);

/// The --html of a command that makes a document.
struct PageFlags {
  std::string html;  ///< "-": standard output; empty: none
  bool force = false;

  void Declare(CLI::App& app);
  /// --force as well, for commands that have no other use for it.
  void DeclareWithForce(CLI::App& app);
  /// `other_force`: the command's own --force.
  void Check(const OutputOptions& output, bool other_force = false) const;
  /// Standard output carries the page alone; text for people then goes nowhere.
  bool OnStdout() const { return html == "-"; }
  /// The page of a document that this command has just made. Nothing where none is wanted.
  void Write(const std::string& json_text, const std::string& source) const;
};

/// The document in a file, or in the --out folder that a command left it in. Throws Error.
ReportDocument ReadDocumentAt(const std::string& given);
/// The file that this reads.
std::filesystem::path DocumentFileAt(const std::string& given);

/// What a profile's raw files say, where `folder` has them. Throws Error where they cannot be read.
void AddSeries(ReportDocument& document, const std::filesystem::path& folder);

/// The page of a document that stands in a file. Nothing where none is wanted.
void WriteDocumentPage(const std::string& html, const std::string& json_text, const std::string& source);
/// Writes a page; "-" is standard output.
void WritePageFile(const std::string& html, const std::vector<ReportDocument>& documents);
/// Writes any text; "-" is standard output.
void WriteReportFile(const std::string& file, const std::string& text);

}  // namespace stallscope
