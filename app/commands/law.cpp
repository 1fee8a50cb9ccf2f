#include "app/commands/law.h"

#include <array>

#include "app/command.h"
#include "app/subcommands.h"

namespace stallscope {
namespace {

constexpr std::array kLawCommands = {
    Command{"sweep", "Commands",
            "measure communication stalls over networks, buckets and links, and fit the law",
            DeclareLawSweep},
    Command{"fit", "Commands", "fit the law to finished sweeps again", DeclareLawFit},
    Command{"show", "Commands", "what dominates where, and does the number of layers matter?",
            DeclareLawShow},
};

}  // namespace

std::function<int()> DeclareLaw(CLI::App& app, const std::vector<std::string>& argv) {
  app.footer("Example: stallscope law sweep --max-time 30m --out sweep && stallscope law show");
  return DeclareSubcommands(app, argv, kLawCommands);
}

}  // namespace stallscope
