#pragma once

#include <CLI/App.hpp>

namespace stallscope {

/// A flag with a value, as `--help` shows it: its type, and the group that it stands in.
template <typename Value>
void AddOption(CLI::App& app, const char* name, Value& value, const char* type, const char* group,
               const char* help) {
  app.add_option(name, value, help)->type_name(type)->group(group);
}

}  // namespace stallscope
