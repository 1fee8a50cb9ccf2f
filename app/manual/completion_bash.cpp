#include <fmt/format.h>
#include <fmt/ostream.h>

#include <map>

#include "app/manual/completions.h"

namespace stallscope {
namespace {

/// What may follow a flag: words, or any file where there are none.
using FlagsByAnswer = std::map<std::string, std::vector<std::string>>;
constexpr const char* kFiles = "@files";
constexpr const char* kAnything = "@anything";

void Collect(const CommandText& command, std::vector<const CommandText*>& all) {
  all.push_back(&command);
  for (const CommandText& inner : command.commands) Collect(inner, all);
}

std::string WordsOf(const CommandText& command) {
  std::vector<std::string> words;
  for (const CommandText& inner : command.commands) words.push_back(inner.name);
  for (const OptionText& positional : command.positionals) {
    words.insert(words.end(), positional.choices.begin(), positional.choices.end());
  }
  for (const OptionText& option : command.options) {
    words.insert(words.end(), option.names.begin(), option.names.end());
  }
  return fmt::format("{}", fmt::join(words, " "));
}

FlagsByAnswer AnswersOf(const std::vector<const CommandText*>& all) {
  FlagsByAnswer answers;
  for (const CommandText* command : all) {
    for (const OptionText& option : command->options) {
      if (!option.TakesValue()) continue;
      const std::string answer = !option.choices.empty() ? fmt::format("{}", fmt::join(option.choices, " "))
                                 : option.TakesPath()    ? kFiles
                                                         : kAnything;
      for (const std::string& name : option.names) {
        answers[answer].push_back(fmt::format("'{} {}'", command->full, name));
      }
    }
  }
  return answers;
}

bool TakesFiles(const CommandText& command) {
  for (const OptionText& positional : command.positionals) {
    if (positional.TakesPath()) return true;
  }
  return false;
}

}  // namespace

void WriteBashCompletion(const CommandText& program, std::ostream& out) {
  std::vector<const CommandText*> all;
  Collect(program, all);
  fmt::print(out,
             "# bash completion of stallscope. Written by `stallscope completions bash`.\n"
             "_stallscope() {{\n"
             "  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}\n"
             "  local command={} i words files=\n"
             "  COMPREPLY=()\n"
             "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
             "    if [[ ${{COMP_WORDS[i]}} == -- ]]; then\n"
             "      compopt -o filenames 2>/dev/null\n"
             "      mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
             "      return\n"
             "    fi\n"
             "    case \"$command ${{COMP_WORDS[i]}}\" in\n",
             program.name);
  for (const CommandText* command : all) {
    if (command != all.front()) fmt::print(out, "      '{0}') command='{0}' ;;\n", command->full);
  }
  fmt::print(out, "    esac\n  done\n  case \"$command $previous\" in\n");
  for (const auto& [answer, flags] : AnswersOf(all)) {
    fmt::print(out, "    {})\n", fmt::join(flags, "|"));
    if (answer == kFiles) {
      fmt::print(out,
                 "      compopt -o filenames 2>/dev/null\n"
                 "      mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n");
    } else if (answer != kAnything) {
      fmt::print(out, "      mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$word\")\n", answer);
    }
    fmt::print(out, "      return ;;\n");
  }
  fmt::print(out, "  esac\n  case \"$command\" in\n");
  for (const CommandText* command : all) {
    fmt::print(out, "    '{}') words='{}'{} ;;\n", command->full, WordsOf(*command),
               TakesFiles(*command) ? " files=1" : "");
  }
  fmt::print(out,
             "  esac\n"
             "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
             "  if [[ -n $files && $word != -* ]]; then\n"
             "    compopt -o filenames 2>/dev/null\n"
             "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
             "  fi\n"
             "}}\n"
             "complete -F _stallscope {}\n",
             program.name);
}

}  // namespace stallscope
