#include "app/output.h"

#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"

namespace stallscope {

void DeclareOutput(CLI::App& app, OutputOptions& options) {
  app.add_option("--json", options.json_file, "write the document here too (-: standard output)")
      ->type_name("FILE")
      ->group("Output");
  app.add_flag("--quiet,-q", options.quiet, "no progress and no table")->group("Output");
  app.add_option("--color", options.color, "colours (default auto: on a terminal); NO_COLOR is respected")
      ->type_name("auto|always|never")
      ->group("Output");
}

void CheckJsonFile(const OutputOptions& options) {
  ParseColorChoice(options.color);
  if (options.json_file.empty() || options.JsonOnStdout()) return;
  const std::filesystem::path file(options.json_file);
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored) || access(folder.c_str(), W_OK) != 0) {
    throw UsageError("cannot write --json " + options.json_file,
                     "give a file in a folder that you may write to");
  }
}

void WriteJson(const OutputOptions& options, const std::string& text) {
  if (options.json_file.empty()) return;
  if (options.JsonOnStdout()) {
    std::cout << text << std::flush;
  } else {
    WriteFileAtomically(options.json_file, text);
  }
}

}  // namespace stallscope
