#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stallscope/document/profile.h"

namespace stallscope {

inline constexpr const char* kSurveySchema = "stallscope.survey/1";

/// A part of a step, and its share of the whole.
struct SurveyStall {
  Estimate seconds;
  double share = 0;
};

/// One network on some machines of one kind.
struct SurveyCell {
  std::string instance;
  std::string provider;
  std::string model;
  int nodes = 1;
  int devices = 1;
  int batch_per_device = 1;
  std::string basis;
  std::string from;
  Estimate step_time_s;
  Estimate samples_per_s;
  std::optional<SurveyStall> compute;
  std::optional<SurveyStall> interconnect;
  std::optional<SurveyStall> network;
  std::optional<SurveyStall> prep;
  std::optional<SurveyStall> fetch;
  std::optional<Estimate> epoch_time_s;
  std::optional<Estimate> epoch_cost_usd;
  std::optional<double> relative_time;  ///< to the fastest cell of the network
  std::optional<double> relative_cost;
};

struct SurveyMachine {
  std::string instance;
  std::string provider;
  std::string gpu;
  double gpus = 0;
  std::optional<double> usd_hour;
  std::string region;
  std::optional<std::string> price_date;
  bool price_stale = false;
  std::vector<std::string> advantages;
  std::vector<std::string> shortcomings;
};

struct AbsentCell {
  std::string instance;
  std::string model;
  int nodes = 1;
  std::string reason;
};

/// Which machines a network likes best.
struct SurveyBest {
  std::string model;
  std::optional<std::size_t> fastest;   ///< of cells
  std::optional<std::size_t> cheapest;  ///< of cells
};

/// Machines by networks: the document stallscope.survey/1.
struct Survey {
  ToolInfo tool;
  std::string created;
  std::vector<std::string> argv;
  HostInfo host;
  std::vector<std::string> models;
  std::string dtype;
  std::vector<std::string> datasets;
  std::vector<SurveyMachine> machines;
  std::vector<SurveyCell> cells;
  std::vector<AbsentCell> absent;
  std::vector<SurveyBest> best;
  std::vector<std::string> notes;
};

/// Indented JSON with a final newline. Throws Error where a number is not finite.
std::string ToJson(const Survey& survey);

}  // namespace stallscope
