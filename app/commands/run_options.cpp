#include "app/commands/run_options.h"

#include <fmt/format.h>

#include <filesystem>

#include "stallscope/base/error.h"

namespace stallscope {

void RunFlags::Declare(CLI::App& app) {
  constexpr const char* kProgram = "What to run";
  app.add_option("program", options.program,
                 "after --: train.py ARGS, python -m package.train, or an executable")
      ->type_name("PROGRAM...");
  app.add_option("--python", options.python, "the interpreter (default: the program's own, else python3)")
      ->type_name("PATH")
      ->group(kProgram);
  app.add_option("--data", options.data,
                 "folders or files that are the training data (default: found by what the loaders open)")
      ->type_name("PATH")
      ->allow_extra_args(false)
      ->group(kProgram);
  app.add_flag("--allow-writes", options.allow_writes,
               "let the program write checkpoints and into its folder; weights of a ladder run mean nothing")
      ->group(kProgram);
  ladder.DeclareLaunch(app, options, "Where", "ranks on this machine, as for torchrun (default 1)");
  constexpr const char* kMeasure = "How to measure";
  ladder.DeclareMeasure(app, kMeasure);
  app.add_option(
         "--launches", options.launches,
         "launches of all ranks, and as many of one alone, in turn (default 3; less than 3 leaves out solo)")
      ->type_name("N")
      ->group(kMeasure);
  app.add_option("--timeout", timeout,
                 "without a step for so long, the rank that hangs is named (default 5m)")
      ->type_name("TIME")
      ->group(kMeasure);
  app.add_option("--seed", options.seed, "repeats the order of blocks and of samples")
      ->type_name("N")
      ->group(kMeasure);
  app.add_flag("--observe", options.observe,
               "no ladder: let the program run to its end untouched, and say where its steps waited")
      ->group(kMeasure);
  app.add_flag("--explain", options.explain, "say what would be wrapped, launched and evicted, and end")
      ->group(kMeasure);
  ladder.DeclareResults(app, options, "Output");
  app.footer(
      "The program is not edited. It trains on its own data and on replayed batches, in turn, with and "
      "without\n"
      "gradient averaging, and is ended when enough was measured: its weights then mean nothing.\n"
      "Examples: stallscope run -- train.py --epochs 90\n"
      "          stallscope run --nproc-per-node 2 --data DIR -- python -m package.train --batch 32");
}

void RunFlags::ReadUnits() {
  ladder.Read(options, false);
  options.timeout = ReadDuration(timeout, "--timeout");
  if (options.launches < 1) throw UsageError("--launches must be at least 1", "give 3 or more");
  for (std::string& path : options.data) {
    std::error_code code;
    const auto found = std::filesystem::canonical(path, code);
    if (code) throw UsageError(fmt::format("there is no data at '{}'", path), "check --data");
    path = found.string();
  }
  if (options.emulate && options.emulate->disk && options.data.empty()) {
    throw UsageError("--emulate disk=... needs to know which disk", "give --data as well");
  }
}

}  // namespace stallscope
