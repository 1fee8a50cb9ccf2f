#include "stallscope/hook/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "stallscope/base/environment.h"
#include "stallscope/base/error.h"
#include "stallscope/base/names.h"
#include "stallscope/hook/path_search.h"
#include "stallscope/supervise/run_tool.h"

namespace stallscope {
namespace {

namespace fs = std::filesystem;

/// An interpreter on a cold network disk takes seconds to start.
constexpr Seconds kTimeout{20};

/// Importing torch takes seconds; its version file is a few assignments. The first entry of the search path
/// is the current folder, which a script's own would replace. What has no version is not torch, but
/// something of the user's that is called so.
constexpr char kProbe[] = R"(import importlib.util, json, os, sys
if sys.path and not sys.path[0]: del sys.path[0]
spec = importlib.util.find_spec("torch")
facts = {"python": list(sys.version_info[:2]), "torch": None, "cuda": False}
if spec and spec.has_location:
    try:
        values = {}
        with open(os.path.join(os.path.dirname(spec.origin), "version.py")) as file: exec(file.read(), values)
        facts["torch"] = str(values["__version__"])
        facts["cuda"] = bool(values.get("cuda") or values.get("hip"))
    except Exception:
        pass
print(json.dumps(facts)))";

/// What the interpreter says. Errors quote the command, without the probe.
std::string RunProbe(const std::string& interpreter) {
  try {
    return RunTool({interpreter, "-c", kProbe}, {.timeout = kTimeout});
  } catch (const Error& error) {
    std::string what = error.what();
    if (const std::size_t at = what.find(kProbe); at != std::string::npos) {
      what.replace(at, sizeof kProbe - 1, "...");
    }
    throw Error(what, error.hint);
  }
}

/// The last line: a site's own start-up code may have said something before.
std::string LastLine(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

/// Interpreters that share this are one: a virtual environment, or else the program itself. A virtual
/// environment's own program is a link to one that has other packages.
fs::path EnvironmentOf(const fs::path& interpreter) {
  std::error_code error;
  const fs::path environment = interpreter.parent_path().parent_path();
  const bool is_virtual = fs::exists(environment / "pyvenv.cfg", error);
  const fs::path real = fs::canonical(is_virtual ? environment : interpreter, error);
  return error ? interpreter : real;
}

class Search {
 public:
  /// Every interpreter in a folder of programs, plain names first.
  void Look(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator item(folder, error), end; !error && item != end; item.increment(error)) {
      const std::string name = item->path().filename();
      if (IsPythonName(name)) names.push_back(name);
    }
    // "python3" before "python" before "python3.11": the way that people call it.
    const auto rank = [](const std::string& name) {
      return name == "python3" ? 0 : name == "python" ? 1 : 2;
    };
    std::sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
      return std::pair(rank(a), a) < std::pair(rank(b), b);
    });
    for (const std::string& name : names) {
      const auto program = FindExecutable((fs::absolute(folder) / name).string(), "");
      if (!program) continue;
      const fs::path environment = EnvironmentOf(*program);
      if (std::find(seen_.begin(), seen_.end(), environment) != seen_.end()) continue;
      seen_.push_back(environment);
      found_.push_back(*program);
    }
  }

  /// The `bin` of every folder in this one.
  void LookIntoEach(const fs::path& folder) {
    std::vector<fs::path> members;
    std::error_code error;
    for (fs::directory_iterator item(folder, error), end; !error && item != end; item.increment(error)) {
      members.push_back(item->path());
    }
    std::sort(members.begin(), members.end());
    for (const fs::path& member : members) Look(member / "bin");
  }

  const std::vector<std::string>& found() const { return found_; }

 private:
  std::vector<fs::path> seen_;
  std::vector<std::string> found_;
};

std::string Described(const InterpreterWithTorch& found) {
  return fmt::format("{} (torch {})", found.path, found.torch.version);
}

}  // namespace

std::optional<TorchFacts> AskForTorch(const std::string& interpreter) {
  const std::string answer = RunProbe(interpreter);
  try {
    const auto facts = nlohmann::json::parse(LastLine(answer));
    if (facts.at("torch").is_null()) return std::nullopt;
    return TorchFacts{.version = facts.at("torch").get<std::string>(),
                      .cuda = facts.at("cuda").get<bool>(),
                      .python_major = facts.at("python").at(0).get<int>(),
                      .python_minor = facts.at("python").at(1).get<int>()};
  } catch (const nlohmann::json::exception&) {
    throw Error(fmt::format("'{}' does not answer as Python does", interpreter), "check that it is Python");
  }
}

InterpreterPlaces OwnPlaces() {
  const Environment environment = ProcessEnvironment();
  std::error_code ignored;
  return {.path_variable = environment("PATH").value_or(""),
          .home = environment("HOME").value_or(""),
          .folder = fs::current_path(ignored)};
}

std::vector<std::string> FindInterpreters(const InterpreterPlaces& places) {
  Search search;
  for (const fs::path& folder : FoldersOfPath(places.path_variable)) {
    // pyenv's programs here only choose one of its versions: those are looked at themselves.
    const bool shims = folder.filename() == "shims";
    shims ? search.LookIntoEach(folder.parent_path() / "versions") : search.Look(folder);
  }
  for (fs::path folder = places.folder; !folder.empty(); folder = folder.parent_path()) {
    for (const char* name : {".venv", "venv", "env"}) search.Look(folder / name / "bin");
    if (folder == folder.parent_path()) break;
  }
  search.Look(places.root.path / "usr/bin");
  std::vector<fs::path> condas = {places.root.path / "opt/conda"};
  if (!places.home.empty()) {
    search.LookIntoEach(places.home / ".pyenv/versions");
    condas.insert(condas.begin(), {places.home / "miniconda3", places.home / "anaconda3"});
  }
  for (const fs::path& conda : condas) {
    search.Look(conda / "bin");
    search.LookIntoEach(conda / "envs");
  }
  return search.found();
}

std::vector<InterpreterWithTorch> InterpretersWithTorch(const InterpreterPlaces& places) {
  std::vector<InterpreterWithTorch> with_torch;
  for (const std::string& path : FindInterpreters(places)) {
    try {
      if (const auto torch = AskForTorch(path)) with_torch.push_back({path, *torch});
    } catch (const Error&) {
      continue;  // Python 2, or broken: no answer to who has torch
    }
  }
  return with_torch;
}

TorchFacts RequireTorch(const std::string& interpreter, const InterpreterPlaces& places) {
  if (const auto torch = AskForTorch(interpreter)) return *torch;
  std::vector<std::string> others;
  for (const InterpreterWithTorch& found : InterpretersWithTorch(places)) {
    if (others.size() < 3) others.push_back(Described(found));
  }
  throw UsageError(
      fmt::format("{} ({}) has no torch", fs::path(interpreter).filename().string(), interpreter),
      others.empty() ? fmt::format("install torch into it: {} -m pip install torch", interpreter)
                     : fmt::format("give --python {}", JoinAlternatives(others)));
}

}  // namespace stallscope
