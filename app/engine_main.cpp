// stallscope-engine: one rank of a training job. `stallscope profile` starts it; users do not.

#include <torch/version.h>
#include <unistd.h>

#include <cstring>
#include <iostream>

#include "stallscope/engine/torch/rank_loop.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
    std::cout << "stallscope-engine " STALLSCOPE_VERSION ", torch " TORCH_VERSION "\n";
    return 0;
  }
  if (argc != 2 || std::strcmp(argv[1], "--rank") != 0) {
    std::cerr << "error: stallscope-engine is a rank process\n"
                 "  try: stallscope profile, which starts it\n";
    return 2;
  }
  const int exit_code = stallscope::RunRank();
  // Gloo's threads may still hold connections of ranks that have gone; their destructors could wait.
  std::cout.flush();
  std::cerr.flush();
  _exit(exit_code);
}
