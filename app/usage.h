#pragma once

#include <CLI/App.hpp>
#include <CLI/Error.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <vector>

#include "stallscope/base/error.h"

namespace stallscope {

/// CLI11's help with our own widths, and subcommands under their groups.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
};

/// CLI11's complaint as our one sentence with a fix: the nearest option or command is offered.
UsageError UsageErrorFrom(const CLI::ParseError& error, const CLI::App& app,
                          const std::vector<std::string>& argv);

}  // namespace stallscope
