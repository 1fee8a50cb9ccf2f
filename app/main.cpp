#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>

#include "app/command.h"
#include "app/usage.h"
#include "stallscope/base/error.h"
#include "stallscope/base/shortened.h"

namespace stallscope {
namespace {

int Main(const std::vector<std::string>& argv) {
  CLI::App app("Where does each step of distributed training wait?", "stallscope");
  app.set_version_flag("--version", "stallscope " STALLSCOPE_VERSION);
  app.formatter(std::make_shared<HelpFormatter>());
  app.require_subcommand(1);
  std::vector<std::pair<CLI::App*, std::function<int()>>> chosen;
  for (const Command& command : Commands()) {
    CLI::App* subcommand = app.add_subcommand(command.name, command.summary)->group(command.group);
    // A flag given twice means its last value, so that scripts can append to a command of theirs.
    subcommand->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    chosen.emplace_back(subcommand, command.declare(*subcommand, argv));
  }
  try {
    std::vector<std::string> reversed(argv.rbegin(), argv.rend() - 1);
    app.parse(reversed);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help and --version
    throw UsageErrorFrom(e, app, argv);
  }
  for (const auto& [subcommand, run] : chosen) {
    if (subcommand->parsed()) return run();
  }
  return kExitUsage;
}

/// Enough for every sentence of ours with a long path in it; what it quotes may be megabytes of somebody's
/// file.
constexpr std::size_t kLongestSentence = 2000;

void PrintError(std::string_view what, std::string_view hint) {
  std::cerr << "error: " << Shortened(what, kLongestSentence)
            << "\n  try: " << Shortened(hint, kLongestSentence) << '\n';
}

}  // namespace
}  // namespace stallscope

int main(int argc, char** argv) {
  // Whoever reads our output may close it early; that is no failure of ours (a write then fails quietly).
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return stallscope::Main(std::vector<std::string>(argv, argv + argc));
  } catch (const stallscope::Error& e) {
    stallscope::PrintError(e.what(), e.hint);
    return e.exit_code;
  } catch (const std::exception& e) {
    stallscope::PrintError(e.what(), "report this, with the command that you ran");
    return stallscope::kExitFailed;
  }
}
