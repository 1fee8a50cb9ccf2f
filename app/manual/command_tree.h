#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace stallscope {

/// A flag or a positional, as it was declared.
struct OptionText {
  std::vector<std::string> names;    ///< "-q", "--quiet"; a positional's own name
  std::string value;                 ///< "FILE"; empty: a flag without a value
  std::vector<std::string> choices;  ///< of "auto|always|never"; empty: any value
  std::string help;
  std::string group;  ///< "Output"

  bool TakesValue() const { return !value.empty(); }
  /// A file or a folder of the user's.
  bool TakesPath() const;
};

/// A command with what it takes. Man page and shell completions are written from these, and these from what
/// the commands declared: there is no second list.
struct CommandText {
  std::string name;   ///< "make"
  std::string full;   ///< "stallscope dataset make"
  std::string group;  ///< "Measure"
  std::string summary;
  std::string footer;  ///< examples
  std::vector<OptionText> options;
  std::vector<OptionText> positionals;
  std::vector<CommandText> commands;
};

CommandText DescribeCommands(const CLI::App& app);

}  // namespace stallscope
