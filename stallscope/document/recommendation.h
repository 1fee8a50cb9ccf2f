#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stallscope/document/profile.h"

namespace stallscope {

inline constexpr const char* kRecommendationSchema = "stallscope.recommendation/1";

/// What is to be trained.
struct RecommendedWorkload {
  std::string model;
  std::string dtype;
  std::optional<std::string> dataset;
  std::optional<double> samples;  ///< of one epoch
  std::optional<double> epochs;
  std::optional<double> steps;
  std::vector<int> batch_per_device;  ///< that were tried; empty where the global batch is fixed
  std::optional<int> global_batch;
};

struct RecommendedQuestion {
  std::optional<double> deadline_h;
  std::optional<double> budget_usd;
  double confidence = 0.9;
  std::string objective;                 ///< "cost" or "time"
  std::vector<double> confidence_steps;  ///< at which `candidates` can answer every question
  int max_nodes = 1;
  bool spot = false;
  std::optional<std::string> provider;
  std::optional<std::string> region;
  std::optional<std::string> gpu;
};

/// What is charged beside the machines' hours, and what was assumed of it.
struct RecommendedMoney {
  double setup_h = 0;
  double storage_usd_gb_month = 0;
  double storage_gb = 0;  ///< for every machine without a local disk that holds it
  double interruptions_per_machine_hour = 0;
  std::vector<std::string> assumed;
};

struct RecommendedSpot {
  double interruptions = 0;  ///< expected
  double checkpoint_every_s = 0;
  double checkpoint_s = 0;
  double restart_h = 0;
  double stretch = 1;  ///< expected time over uninterrupted time
};

/// Machines that would do it: how long, how much, and from what that is known.
struct RecommendedCandidate {
  std::string instance;
  std::string provider;
  std::string region;
  std::string market;  ///< "on-demand" or "spot"
  std::string gpu;
  double gpus_per_node = 1;
  int nodes = 1;
  int devices = 1;
  int batch_per_device = 1;
  Estimate step_time_s;
  Estimate samples_per_s;
  std::optional<double> compute_s;  ///< means of the step's parts
  std::optional<double> interconnect_s;
  std::optional<double> network_s;
  std::optional<double> prep_s;
  std::optional<double> fetch_s;
  double setup_h = 0;
  Estimate work_h;      ///< with what interruptions cost
  Estimate hours;       ///< setup_h and work_h
  double usd_hour = 0;  ///< of one machine
  double granularity_s = 1;
  double minimum_s = 0;
  double storage_usd_hour = 0;  ///< of all machines
  Estimate cost_usd;
  std::string pays_for;
  std::optional<double> probability_in_time;
  std::optional<double> probability_in_budget;
  std::string basis;
  std::string from;
  std::optional<std::string> price_date;  ///< absent for the user's own price
  bool price_stale = false;
  std::string price_from;
  std::optional<RecommendedSpot> spot;
};

/// Why a machine is not among the choices; one row a machine.
struct RejectedMachine {
  std::string instance;
  std::string provider;
  std::optional<int> nodes;  ///< of its best try
  std::string reason;        ///< a word of docs/recommend.md
  std::string detail;
};

/// What comes nearest where nothing fits.
struct ClosestCandidate {
  std::size_t candidate = 0;  ///< of Recommendation::candidates
  std::string missing;
  std::string would_fit;
};

struct NextMeasurement {
  std::string instance;
  std::string provider;
  int nodes = 1;
  double minutes = 0;
  double cost_usd = 0;
  double worth_usd = 0;  ///< expected saving by what it tells
  std::string why;
  std::string command;
};

/// What to rent: the document stallscope.recommendation/1.
struct Recommendation {
  ToolInfo tool;
  std::string created;
  std::vector<std::string> argv;
  HostInfo host;
  RecommendedWorkload workload;
  RecommendedQuestion question;
  RecommendedMoney money;
  std::size_t considered = 0;
  std::optional<std::size_t> choice;  ///< of candidates
  std::vector<RecommendedCandidate> candidates;
  std::vector<std::size_t> pareto;
  std::vector<std::size_t> top;
  std::vector<RejectedMachine> rejected;
  std::vector<ClosestCandidate> closest;
  std::optional<NextMeasurement> next_measurement;
  std::vector<std::string> notes;
};

/// Indented JSON with a final newline. Throws Error where a number is not finite.
std::string ToJson(const Recommendation& recommendation);

}  // namespace stallscope
