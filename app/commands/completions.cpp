#include "app/manual/completions.h"

#include <array>
#include <iostream>
#include <memory>
#include <string_view>

#include "app/command.h"
#include "app/manual/man_page.h"
#include "stallscope/base/error.h"

namespace stallscope {
namespace {

/// All of what users type, from any command of it.
const CLI::App& TopOf(const CLI::App& app) {
  const CLI::App* top = &app;
  while (top->get_parent() != nullptr) top = top->get_parent();
  return *top;
}

using Writer = void (*)(const CommandText&, std::ostream&);
constexpr std::array<std::pair<std::string_view, Writer>, 3> kShells = {
    {{"bash", WriteBashCompletion}, {"zsh", WriteZshCompletion}, {"fish", WriteFishCompletion}}};

}  // namespace

std::function<int()> DeclareCompletions(CLI::App& app, const std::vector<std::string>& /*argv*/) {
  const auto shell = std::make_shared<std::string>();
  app.add_option("shell", *shell, "whose completion to write")->type_name("bash|zsh|fish");
  app.footer("Example: stallscope completions bash > ~/.local/share/bash-completion/completions/stallscope");
  return [shell, &app] {
    for (const auto& [name, write] : kShells) {
      if (name != *shell) continue;
      write(DescribeCommands(TopOf(app)), std::cout);
      return kExitOk;
    }
    throw UsageError(shell->empty() ? "no shell was named" : "there is no completion for '" + *shell + "'",
                     "name bash, zsh or fish");
  };
}

std::function<int()> DeclareManual(CLI::App& app, const std::vector<std::string>& /*argv*/) {
  app.footer("Example: stallscope manual > stallscope.1 && man ./stallscope.1");
  return [&app] {
    WriteManPage(DescribeCommands(TopOf(app)), std::cout);
    return kExitOk;
  };
}

}  // namespace stallscope
