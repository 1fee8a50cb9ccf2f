#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/predict_options.h"
#include "app/output.h"
#include "app/page_file.h"
#include "stallscope/recommend/recommend.h"

namespace stallscope {

/// The flags of `recommend`, as typed.
struct RecommendFlags {
  PredictFlags workload;  ///< model, data and catalog; its instances, nodes and what-ifs are not asked for
  std::string batches;
  std::optional<int> global_batch;
  std::optional<int> most_global_batch;
  std::string epochs;
  std::string steps;

  std::string deadline;
  std::string budget;
  std::string confidence = "0.9";
  int top = 10;

  std::string provider;
  std::string region;
  std::string gpus;
  std::string excluded;
  bool include_retired = false;
  int max_nodes = 64;
  bool spot = false;

  std::string store;
  bool no_store = false;
  std::vector<std::string> measured;
  std::string published;

  std::vector<std::string> prices;
  std::vector<std::string> discounts;
  std::vector<std::string> billing;
  std::string setup = "5m";
  std::string storage = "0.08";
  std::string interruptions = "0.05";
  std::string checkpoint;

  std::string csv;
  std::string markdown;
  std::string emit;
  bool force = false;
  PageFlags page;
  OutputOptions output;

  void Declare(CLI::App& app);
  /// Throws UsageError where flags contradict each other or say nothing that could be meant.
  void Check() const;

  /// Takes the catalog's spelling of providers and regions. Throws UsageError where it does not know them.
  void Resolve(const Catalog& catalog);

  Question Asked() const;
  MoneyRules Money() const;
  /// What of Money was not said by the user and by no source.
  std::vector<std::string> AssumedMoney() const;
  PriceChanges Prices(const Catalog& catalog) const;
  std::vector<int> Batches() const;
  /// The machines that are tried; the retired ones that are not go to `left_out`.
  std::vector<std::size_t> Machines(const Catalog& catalog, std::vector<MachineProblem>& left_out) const;
};

/// Tokens of a sample; absent for images.
std::optional<double> TokensOf(const Network& network);

/// A finite number above zero. Throws UsageError.
double PositiveNumber(const char* flag, const std::string& text, const char* example);

/// Throws UsageError where more than one of the flags, each with its file, goes to standard output.
void RequireOneOnStdout(const std::vector<std::pair<const char*, std::string>>& outputs);

/// Writes a table to a file that is not there yet, or to standard output for "-". Throws Error.
void WriteTable(const std::string& file, const std::string& text, bool force);

}  // namespace stallscope
