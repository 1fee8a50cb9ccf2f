#include "app/usage.h"

#include <algorithm>

#include "stallscope/base/names.h"

namespace stallscope {
namespace {

const CLI::App& ChosenApp(const CLI::App& app) {
  const std::vector<const CLI::App*> chosen = app.get_subcommands(nullptr);
  for (const CLI::App* subcommand : chosen) {
    if (subcommand->parsed()) return ChosenApp(*subcommand);
  }
  return app;
}

/// "stallscope dataset make": what was typed to come here.
std::string FullName(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : FullName(*parent) + " " + app.get_name();
}

std::vector<std::string> OptionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> CommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : app.get_subcommands(nullptr)) names.push_back(subcommand->get_name());
  return names;
}

std::string Offer(const std::vector<std::string>& near, const std::string& help) {
  return near.empty() ? "see `" + help + "`"
                      : "did you mean " + JoinAlternatives(near) + "? See `" + help + "`";
}

}  // namespace

HelpFormatter::HelpFormatter() {
  column_width(34);
}

UsageError UsageErrorFrom(const CLI::ParseError& error, const CLI::App& app,
                          const std::vector<std::string>& argv) {
  const CLI::App& chosen = ChosenApp(app);
  // The top, or a command that has commands of its own.
  const bool at_top = !chosen.get_subcommands(nullptr).empty();
  const std::string help = FullName(chosen) + " --help";
  const std::size_t named = &chosen == &app ? 1 : 2;  // words of argv that lead here
  if (argv.size() <= named) {
    return {named == 1 ? "no command was given" : "no command of " + chosen.get_name() + " was given",
            "see `" + help + "`"};
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
      dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    const std::vector<std::string> known = at_top ? CommandNames(chosen) : OptionNames(chosen);
    const std::vector<std::string> extras =
        at_top ? std::vector(argv.begin() + static_cast<std::ptrdiff_t>(named), argv.end())
               : chosen.remaining(true);
    if (!extras.empty()) {
      const std::string& wrong = extras.front();
      const bool is_option = wrong.starts_with("-");
      const std::string name = wrong.substr(0, wrong.find('='));
      const std::string what = is_option ? "unknown option '"
                               : at_top  ? "unknown command '"
                                         : "unexpected argument '";
      const std::vector<std::string> near =
          is_option == at_top ? std::vector<std::string>{} : NearestNames(name, known);
      return {what + name + "'", Offer(near, help)};
    }
  }
  std::string what = error.what();
  std::replace(what.begin(), what.end(), '\n', ' ');
  return {what, "see `" + help + "`"};
}

}  // namespace stallscope
