#include <fmt/format.h>
#include <fmt/ostream.h>

#include "app/manual/completions.h"

namespace stallscope {
namespace {

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + "'";
}

/// Lines for a command that has been typed, as `typed` says.
void WriteCommand(const CommandText& command, const std::string& program, const std::string& typed,
                  std::ostream& out) {
  const std::string line = fmt::format("complete -c {} -n {}", program, Quoted(typed));
  const auto values = [](const OptionText& option) {
    if (!option.choices.empty()) {
      return fmt::format(" -x -a {}", Quoted(fmt::format("{}", fmt::join(option.choices, " "))));
    }
    return std::string(option.TakesPath() ? " -r -F" : " -x");
  };
  std::string names;
  for (const CommandText& inner : command.commands) names += " " + inner.name;
  for (const CommandText& inner : command.commands) {
    fmt::print(out, "complete -c {} -n {} -a {} -d {}\n", program,
               Quoted(typed + "; and not __fish_seen_subcommand_from" + names), inner.name,
               Quoted(inner.summary));
  }
  for (const OptionText& option : command.options) {
    fmt::print(out, "{}", line);
    for (const std::string& name : option.names) {
      fmt::print(out, "{}", name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1));
    }
    fmt::print(out, "{} -d {}\n", option.TakesValue() ? values(option) : "", Quoted(option.help));
  }
  for (const OptionText& positional : command.positionals) {
    if (!positional.choices.empty()) {
      fmt::print(out, "{} -a {}\n", line, Quoted(fmt::format("{}", fmt::join(positional.choices, " "))));
    } else if (positional.TakesPath()) {
      fmt::print(out, "{} -F\n", line);
    }
  }
  for (const CommandText& inner : command.commands) {
    WriteCommand(inner, program, typed + "; and __fish_seen_subcommand_from " + inner.name, out);
  }
}

}  // namespace

void WriteFishCompletion(const CommandText& program, std::ostream& out) {
  fmt::print(out, "# fish completion of stallscope. Written by `stallscope completions fish`.\n");
  fmt::print(out, "complete -c {} -f\n", program.name);
  WriteCommand(program, program.name, "true", out);
}

}  // namespace stallscope
