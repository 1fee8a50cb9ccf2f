// stallscope-engine: one rank of a training job. `stallscope profile` starts it; users do not.

#include <link.h>
#include <torch/version.h>
#include <unistd.h>

#include <cstring>
#include <iostream>
#include <string>

#include "stallscope/engine/torch/rank_loop.h"

namespace {

/// The file name of the BLAS that the dynamic linker chose; Debian's alternatives decide, not the build.
std::string LoadedBlas() {
  std::string found = "none found";
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        // libblas.so.3 is a name that alternatives point anywhere; what it is shows in the resolved path.
        char resolved[4096];
        if (std::strstr(info->dlpi_name, "blas") != nullptr ||
            std::strstr(info->dlpi_name, "mkl") != nullptr) {
          const char* real = realpath(info->dlpi_name, resolved);
          *static_cast<std::string*>(result) = real == nullptr ? info->dlpi_name : real;
          return 1;
        }
        return 0;
      },
      &found);
  return found;
}

int Describe() {
  std::cout << R"({"torch": ")" << TORCH_VERSION << R"(", "blas": ")" << LoadedBlas() << "\"}\n";
  return 0;
}

int ServeAsRank() {
  const int exit_code = stallscope::RunRank();
  // Gloo's threads may still hold connections of ranks that have gone; their destructors could wait.
  std::cout.flush();
  std::cerr.flush();
  _exit(exit_code);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string order = argc == 2 ? argv[1] : "";
  if (order == "--rank") return ServeAsRank();
  if (order == "--describe") return Describe();
  if (order == "--version") {
    std::cout << "stallscope-engine " STALLSCOPE_VERSION ", torch " TORCH_VERSION "\n";
    return 0;
  }
  std::cerr << "error: stallscope-engine is a rank process\n"
               "  try: stallscope profile, which starts it\n";
  return 2;
}
