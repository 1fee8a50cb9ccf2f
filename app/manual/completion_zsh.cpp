#include <fmt/format.h>
#include <fmt/ostream.h>

#include "app/manual/completions.h"

namespace stallscope {
namespace {

/// Within single quotes, and within the brackets of _arguments.
std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'') {
      escaped += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
      escaped += c == '\n' ? ' ' : c;
    }
  }
  return escaped;
}

std::string FunctionOf(const CommandText& command) {
  std::string name = "_" + command.full;
  for (char& c : name) c = c == ' ' || c == '-' ? '_' : c;
  return name;
}

/// ":FILE:_files": what the value is called, and what it may be.
std::string ValueOf(const OptionText& option) {
  if (!option.choices.empty()) {
    return fmt::format(":value:({})", Escaped(fmt::format("{}", fmt::join(option.choices, " "))));
  }
  return fmt::format(":{}:{}", Escaped(option.value), option.TakesPath() ? "_files" : "( )");
}

void WriteFunction(const CommandText& command, std::ostream& out) {
  fmt::print(out, "{}() {{\n  local context state state_descr line\n  typeset -A opt_args\n  _arguments -C",
             FunctionOf(command));
  for (const OptionText& option : command.options) {
    for (const std::string& name : option.names) {
      // Lists and flags that are given twice are for the command to judge.
      fmt::print(out, " \\\n    '*{}[{}]{}'", name, Escaped(option.help),
                 option.TakesValue() ? ValueOf(option) : "");
    }
  }
  if (!command.commands.empty()) {
    fmt::print(out, " \\\n    '1:command:->command' \\\n    '*::argument:->argument'");
  }
  for (const OptionText& positional : command.positionals) {
    fmt::print(out, " \\\n    '*{}'", ValueOf(positional));
  }
  fmt::print(out, "\n");
  if (!command.commands.empty()) {
    fmt::print(out, "  case $state in\n    command)\n      local -a commands=(\n");
    for (const CommandText& inner : command.commands) {
      fmt::print(out, "        '{}:{}'\n", inner.name, Escaped(inner.summary));
    }
    fmt::print(out, "      )\n      _describe command commands ;;\n    argument)\n      case $words[1] in\n");
    for (const CommandText& inner : command.commands) {
      fmt::print(out, "        {}) {} ;;\n", inner.name, FunctionOf(inner));
    }
    fmt::print(out, "      esac ;;\n  esac\n");
  }
  fmt::print(out, "}}\n\n");
  for (const CommandText& inner : command.commands) WriteFunction(inner, out);
}

}  // namespace

void WriteZshCompletion(const CommandText& program, std::ostream& out) {
  fmt::print(out, "#compdef {}\n# zsh completion of stallscope. Written by `stallscope completions zsh`.\n\n",
             program.name);
  WriteFunction(program, out);
  fmt::print(
      out,
      "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n  {0} \"$@\"\nelse\n  compdef {0} {1}\nfi\n",
      FunctionOf(program), program.name);
}

}  // namespace stallscope
