#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>
#include <vector>

namespace stallscope {

// The commands of `stallscope catalog`, declared as those of the top are.
std::function<int()> DeclareCatalogList(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareCatalogShow(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareCatalogCheck(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareCatalogAdd(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareCatalogImport(CLI::App& app, const std::vector<std::string>& argv);

}  // namespace stallscope
