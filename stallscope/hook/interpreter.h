#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/base/root.h"

namespace stallscope {

struct TorchFacts {
  std::string version;
  bool cuda = false;  ///< built for GPUs; ROCm goes by the same name in torch
  int python_major = 0;
  int python_minor = 0;
};

/// Asks the interpreter itself, without importing torch; nothing where it has none. Throws Error where the
/// interpreter cannot be started, or does not answer in time.
std::optional<TorchFacts> AskForTorch(const std::string& interpreter);

/// Where interpreters are looked for.
struct InterpreterPlaces {
  std::string path_variable;
  std::filesystem::path home;    ///< empty: nowhere
  std::filesystem::path folder;  ///< virtual environments are in it, or above
  Root root;                     ///< of /usr/bin and /opt/conda
};

/// Those of this process.
InterpreterPlaces OwnPlaces();

/// Interpreters in PATH, of virtual environments (.venv, venv, env) near the folder, in /usr/bin, of pyenv
/// and of conda. Nothing twice, by the environment that it is of.
std::vector<std::string> FindInterpreters(const InterpreterPlaces& places);

struct InterpreterWithTorch {
  std::string path;
  TorchFacts torch;
};

/// Those that have torch. Starts every one: some tenths of a second for each.
std::vector<InterpreterWithTorch> InterpretersWithTorch(const InterpreterPlaces& places = OwnPlaces());

/// Throws UsageError where the interpreter has no torch, and names those that do.
TorchFacts RequireTorch(const std::string& interpreter, const InterpreterPlaces& places = OwnPlaces());

}  // namespace stallscope
