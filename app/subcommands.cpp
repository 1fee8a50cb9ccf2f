#include "app/subcommands.h"

#include <memory>
#include <utility>

#include "stallscope/base/error.h"

namespace stallscope {

std::function<int()> DeclareSubcommands(CLI::App& app, const std::vector<std::string>& argv,
                                        std::span<const Command> commands) {
  app.require_subcommand(1);
  auto chosen = std::make_shared<std::vector<std::pair<CLI::App*, std::function<int()>>>>();
  for (const Command& command : commands) {
    CLI::App* subcommand = app.add_subcommand(command.name, command.summary)->group(command.group);
    chosen->emplace_back(subcommand, command.declare(*subcommand, argv));
  }
  return [chosen]() -> int {
    for (const auto& [subcommand, run] : *chosen) {
      if (subcommand->parsed()) return run();
    }
    return kExitUsage;
  };
}

}  // namespace stallscope
