#include "app/engine_path.h"

#include <unistd.h>

#include <cstdlib>

#include "stallscope/base/error.h"

namespace stallscope {

std::filesystem::path FindEngine() {
  if (const char* named = std::getenv("STALLSCOPE_ENGINE"); named != nullptr && *named != '\0') {
    if (access(named, X_OK) == 0) return named;
    throw Error(std::string("STALLSCOPE_ENGINE names no program: ") + named, "correct it, or unset it");
  }
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  for (const char* place : {"stallscope-engine", "../libexec/stallscope/stallscope-engine"}) {
    const std::filesystem::path candidate = folder / place;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  throw Error(
      "stallscope-engine is not beside " + folder.string() + "/stallscope",
      "install the package stallscope-engine, build it with ./run.sh, or set STALLSCOPE_ENGINE to its path");
}

}  // namespace stallscope
