#include "stallscope/hook/program.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "stallscope/base/error.h"
#include "stallscope/base/names.h"
#include "stallscope/hook/path_search.h"
#include "stallscope/hook/shebang.h"

namespace stallscope {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

/// What --python names, or nothing where it was not given.
std::optional<fs::path> ChosenPython(const std::string& python, const std::string& path_variable) {
  if (python.empty()) return std::nullopt;
  auto found = FindExecutable(python, path_variable);
  if (!found) {
    throw UsageError(fmt::format("there is no interpreter '{}'", python),
                     "check --python: it takes a path, or a name that is in PATH");
  }
  return found;
}

fs::path DefaultPython(const std::string& path_variable) {
  for (const char* name : {"python3", "python"}) {
    if (auto found = FindExecutable(name, path_variable)) return *found;
  }
  throw UsageError("there is no python3 in PATH",
                   "give one with --python, such as --python /usr/bin/python3");
}

/// The scripts beside a mistyped one whose names are near.
std::string DidYouMean(const fs::path& script) {
  std::error_code error;
  const fs::path folder = script.has_parent_path() ? script.parent_path() : ".";
  Words known;
  for (fs::directory_iterator item(folder, error), end; !error && item != end; item.increment(error)) {
    if (item->path().extension() == ".py") known.push_back(item->path().filename());
  }
  const Words near = NearestNames(script.filename().string(), known);
  return near.empty() ? "" : fmt::format("did you mean {}? ", JoinAlternatives(near));
}

void CheckScript(const std::string& script) {
  std::error_code ignored;
  if (fs::exists(script, ignored)) return;  // a folder or an archive with a __main__.py is a program too
  throw UsageError(fmt::format("there is no file '{}'", script),
                   fmt::format("{}paths start at the current folder, {}", DidYouMean(script),
                               fs::current_path(ignored).string()));
}

void CheckFlag(char flag) {
  if (flag != 'E' && flag != 'I' && flag != 'S') return;
  throw UsageError(
      fmt::format("python -{} cannot be measured: the hook comes by PYTHONPATH and sitecustomize", flag),
      fmt::format("leave -{} out", flag));
}

/// Reads the interpreter's own options as it would, as far as the program: its name. `words` begin with the
/// interpreter.
std::string NameOfProgram(const Words& words) {
  std::size_t next = 1;
  while (next < words.size()) {
    const std::string& word = words[next++];
    if (word == "-") break;  // standard input, which is ours
    const bool ends_options = word == "--" && next < words.size();
    if (ends_options || !word.starts_with('-')) {
      const std::string& script = ends_options ? words[next] : word;
      CheckScript(script);
      return fs::path(script).filename();
    }
    if (word.starts_with("--")) {
      if (word == "--check-hash-based-pycs" || word == "--jit") ++next;  // the latter is PyPy's
      continue;
    }
    // Letters may share a dash, and the last may have its value right behind it: -uXdev, -mpackage.
    for (std::size_t i = 1; i < word.size(); ++i) {
      CheckFlag(word[i]);
      const bool has_value = word[i] == 'c' || word[i] == 'm' || word[i] == 'W' || word[i] == 'X';
      if (!has_value) continue;
      const std::string attached = word.substr(i + 1);
      if (attached.empty() && next == words.size()) break;
      const std::string& value = attached.empty() ? words[next++] : attached;
      if (word[i] == 'c') return "-c";
      if (word[i] == 'm') return value;
      break;
    }
  }
  throw UsageError(fmt::format("no program for {}", fs::path(words.front()).filename().string()),
                   "give it a script, -m package.module or -c code");
}

Words Joined(const fs::path& first, const Words& words, std::size_t from) {
  Words argv = {first};
  argv.insert(argv.end(), words.begin() + static_cast<Words::difference_type>(from), words.end());
  return argv;
}

Program OfScript(const Words& words, const std::optional<fs::path>& chosen,
                 const std::string& path_variable) {
  CheckScript(words.front());
  const fs::path python = chosen ? *chosen : DefaultPython(path_variable);
  return {
      .argv = Joined(python, words, 0), .interpreter = python, .name = fs::path(words.front()).filename()};
}

Program OfInterpreter(const Words& words, const std::optional<fs::path>& chosen,
                      const std::string& path_variable) {
  const auto python = FindExecutable(words.front(), path_variable);
  if (!python) {
    throw UsageError(fmt::format("there is no interpreter '{}'", words.front()),
                     "check its path, or activate its environment");
  }
  if (chosen && chosen->lexically_normal() != python->lexically_normal()) {
    throw UsageError(fmt::format("two interpreters: --python {} and {}", chosen->string(), words.front()),
                     "give one of them");
  }
  return {.argv = Joined(*python, words, 1), .interpreter = *python, .name = NameOfProgram(words)};
}

/// The interpreter of a script's first line. It is started with that line's options, which must let us in.
fs::path AskedFor(const Shebang& shebang, const fs::path& script, const std::string& path_variable) {
  const auto python = FindExecutable(shebang.interpreter, path_variable);
  if (!python) {
    throw UsageError(
        fmt::format("'{}' asks for '{}', which is not there", script.string(), shebang.interpreter),
        "install it again, or give another interpreter with --python");
  }
  Words line = Joined(*python, shebang.options, 0);
  line.push_back(script);
  try {
    NameOfProgram(line);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("the first line of '{}': {}", script.string(), error.what()),
                     "give the interpreter with --python, which takes that line's place");
  }
  return *python;
}

Program OfExecutable(const Words& words, const std::optional<fs::path>& chosen,
                     const std::string& path_variable) {
  const std::string& word = words.front();
  const bool is_path = word.find('/') != std::string::npos;
  const auto executable = FindExecutable(word, path_variable);
  std::error_code ignored;
  if (!executable && !(is_path && fs::is_regular_file(word, ignored))) {
    throw UsageError(
        fmt::format("there is no program '{}'", word),
        is_path ? "check its path" : "it is not in PATH: give its path, or activate its environment");
  }
  const fs::path file = executable ? *executable : fs::absolute(word);
  const auto shebang = ReadShebang(file);
  Program program{.argv = Joined(file, words, 1), .name = file.filename()};
  if (chosen) {
    if (!shebang) {
      throw UsageError(fmt::format("--python cannot run '{}': it is no script of Python", word),
                       "leave --python out");
    }
    program.argv.insert(program.argv.begin(), *chosen);
    program.interpreter = *chosen;
    return program;
  }
  if (!executable) {
    throw UsageError(fmt::format("'{}' is not executable", word),
                     fmt::format("chmod +x {}, or put its interpreter before it", word));
  }
  if (shebang) program.interpreter = AskedFor(*shebang, file, path_variable);
  return program;
}

}  // namespace

Program ReadProgram(const Words& words, const std::string& python, const std::string& path_variable) {
  if (words.empty() || words.front().empty()) {
    throw UsageError("no program to run", "put it after --, as in: -- train.py --epochs 1");
  }
  const auto chosen = ChosenPython(python, path_variable);
  const std::string file_name = fs::path(words.front()).filename();
  if (file_name.ends_with(".py")) return OfScript(words, chosen, path_variable);
  if (IsPythonName(file_name)) return OfInterpreter(words, chosen, path_variable);
  return OfExecutable(words, chosen, path_variable);
}

}  // namespace stallscope
