#include "app/manual/command_tree.h"

#include <array>

namespace stallscope {
namespace {

std::vector<std::string> ChoicesOf(const std::string& value) {
  std::vector<std::string> choices;
  if (value.find('|') == std::string::npos) return choices;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find('|', begin), value.size());
    choices.push_back(value.substr(begin, end - begin));
    begin = end + 1;
  }
  return choices;
}

OptionText Described(const CLI::Option& option) {
  OptionText text{.help = option.get_description(), .group = option.get_group()};
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  if (text.names.empty()) text.names.push_back(option.get_name(true));
  // Flags take no value; CLI11 tells them by that.
  if (option.get_items_expected_max() > 0) {
    text.value = option.get_type_name().empty() ? "VALUE" : option.get_type_name();
    text.choices = ChoicesOf(text.value);
  }
  return text;
}

CommandText Described(const CLI::App& app, const std::string& before) {
  CommandText text{.name = app.get_name(),
                   .full = before + app.get_name(),
                   .group = app.get_group(),
                   .summary = app.get_description(),
                   .footer = app.get_footer()};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    (option->get_positional() ? text.positionals : text.options).push_back(Described(*option));
  }
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    // Those without a group are hidden from people, and from their shells.
    if (!command->get_group().empty()) text.commands.push_back(Described(*command, text.full + " "));
  }
  return text;
}

}  // namespace

bool OptionText::TakesPath() const {
  static constexpr std::array<std::string_view, 5> kPaths = {"FILE", "DIR", "PATH", "FOLDER", "PROGRAM"};
  for (const std::string_view path : kPaths) {
    if (value.starts_with(path)) return true;
  }
  return false;
}

CommandText DescribeCommands(const CLI::App& app) {
  return Described(app, "");
}

}  // namespace stallscope
