#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>
#include <vector>

namespace stallscope {

// The commands of `stallscope law`, declared as those of the top are.
std::function<int()> DeclareLawSweep(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareLawFit(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareLawShow(CLI::App& app, const std::vector<std::string>& argv);

}  // namespace stallscope
