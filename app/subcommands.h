#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/command.h"

namespace stallscope {

/// For commands that have commands of their own: declares them all, one must be given, and that one runs.
std::function<int()> DeclareSubcommands(CLI::App& app, const std::vector<std::string>& argv,
                                        std::span<const Command> commands);

}  // namespace stallscope
