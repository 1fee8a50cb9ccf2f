#pragma once

#include <CLI/App.hpp>
#include <ostream>
#include <string>

#include "stallscope/report/style.h"

namespace stallscope {

/// The flags that every command has.
struct OutputOptions {
  std::string json_file;  ///< "-": standard output; empty: none
  bool quiet = false;
  std::string color = "auto";

  /// Standard output carries JSON alone; text for people then goes nowhere.
  bool JsonOnStdout() const { return json_file == "-"; }
  bool ShowText() const { return !quiet && !JsonOnStdout(); }
  TextStyle StyleOf(int descriptor) const { return StyleFor(descriptor, ParseColorChoice(color)); }
};

void DeclareOutput(CLI::App& app, OutputOptions& options);

/// Fails early, before anything is measured, where the JSON file could not be written.
void CheckJsonFile(const OutputOptions& options);
void WriteJson(const OutputOptions& options, const std::string& text);

}  // namespace stallscope
