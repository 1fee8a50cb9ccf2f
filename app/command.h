#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace stallscope {

/// One subcommand: `declare` adds its flags to a CLI11 app and returns what runs when it was chosen.
struct Command {
  const char* name;
  const char* group;  ///< in --help; empty: hidden there
  const char* summary;
  std::function<int()> (*declare)(CLI::App& app, const std::vector<std::string>& argv);
};

std::span<const Command> Commands();

std::function<int()> DeclareRun(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareProfile(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareProbe(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareDoctor(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclarePredict(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareRecommend(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareSurvey(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareCompare(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareReport(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareCatalog(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareDataset(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareLaw(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareValidate(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareStore(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareCompletions(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareManual(CLI::App& app, const std::vector<std::string>& argv);

}  // namespace stallscope
