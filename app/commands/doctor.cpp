#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/commands/doctor_checks.h"
#include "app/output.h"
#include "stallscope/base/error.h"

namespace stallscope {
namespace {

std::string_view MarkOf(Health health) {
  switch (health) {
    case Health::kGood:
      return "ok";
    case Health::kLimited:
      return "limited";
    case Health::kMissing:
      return "missing";
  }
  return "?";
}

constexpr int kNameColumns = 14;
constexpr int kIndent = 8 + kNameColumns;

/// Text in the column that begins at kIndent.
std::string Column(const std::string& text, int width) {
  std::string column;
  for (const char c : Wrap(text, width - kIndent, 0)) {
    column += c;
    if (c == '\n') column += std::string(kIndent, ' ');
  }
  return column;
}

void PrintChecks(const std::vector<Check>& checks, const TextStyle& style) {
  for (const Check& check : checks) {
    const char* color = check.health == Health::kGood ? "32" : check.health == Health::kLimited ? "33" : "31";
    const std::string mark = fmt::format("{:<8}", MarkOf(check.health));
    const std::string shown = style.color ? fmt::format("\033[{}m{}\033[0m", color, mark) : mark;
    std::cout << shown << PadRight(check.name, kNameColumns) << Column(check.found, style.width) << '\n';
    if (check.fix.empty()) continue;
    std::cout << std::string(kIndent, ' ') << Column("fix: " + check.fix, style.width) << '\n';
  }
}

int RunDoctor(const OutputOptions& output) {
  CheckJsonFile(output);
  const std::vector<Check> checks = RunChecks();
  const bool can_measure = std::none_of(checks.begin(), checks.end(), [](const Check& check) {
    return check.needed && check.health == Health::kMissing;
  });
  if (output.ShowText()) {
    PrintChecks(checks, output.StyleOf(STDOUT_FILENO));
    std::cout << (can_measure ? "This machine can climb the stall ladder.\n"
                              : "No ladder can run here: see what is missing above.\n");
  }
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Check& check : checks) {
    list.push_back({{"name", check.name},
                    {"health", MarkOf(check.health)},
                    {"found", check.found},
                    {"fix", check.fix},
                    {"needed", check.needed}});
  }
  WriteJson(output, nlohmann::ordered_json{{"can_measure", can_measure}, {"checks", list}}.dump(2) + "\n");
  return can_measure ? kExitOk : kExitFailed;
}

}  // namespace

std::function<int()> DeclareDoctor(CLI::App& app, const std::vector<std::string>& /*argv*/) {
  const auto output = std::make_shared<OutputOptions>();
  DeclareOutput(app, *output);
  return [output] { return RunDoctor(*output); };
}

}  // namespace stallscope
