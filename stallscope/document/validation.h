#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stallscope/document/profile.h"

namespace stallscope {

inline constexpr const char* kValidationSchema = "stallscope.validation/1";

/// One row of the table, with what was predicted for it. Rates are samples per second of the whole job.
struct ValidatedRow {
  int line = 0;  ///< of the file
  std::string series;
  std::string network;
  std::string gpu;
  std::string source;
  std::string framework;
  std::string interconnect;  ///< as the model took it
  std::string sync;
  int nodes = 1;
  int total_gpus = 1;
  bool known = false;  ///< given, not predicted
  std::optional<double> measured;
  std::optional<double> predicted;
  std::optional<double> low;  ///< of the 95 % interval
  std::optional<double> high;
  std::optional<double> error;        ///< predicted / measured - 1
  std::optional<std::string> basis;   ///< what the prediction rests on
  std::optional<std::string> reason;  ///< why there is no prediction
  std::vector<std::string> assumed;   ///< columns that a default filled
};

/// How far predictions are off, every series weighing the same; coverage and widths count rows.
struct ErrorMeasures {
  int rows = 0;
  int series = 0;
  double mape = 0;
  double median = 0;        ///< of the absolute error
  double percentile90 = 0;  ///< of the absolute error
  double bias = 0;          ///< mean signed error: positive where predictions are too fast
  double coverage = 0;      ///< share of rows inside their interval
  double half_width = 0;    ///< median, as a share of the prediction
};

/// Rows with something in common.
struct ErrorGroup {
  std::string by;  ///< "network", "gpu", "interconnect", "nodes", "source", "framework", "sync", "basis"
  std::string name;
  ErrorMeasures measures;
};

struct FittedValue {
  std::string name;
  std::string unit;
  double value = 0;
  double low = 0;
  double high = 0;
};

/// The parameters that predictions used.
struct FittedSet {
  std::optional<std::string> left_out;  ///< the source that they were fitted without
  int rows = 0;                         ///< fitted on
  double interval_factor = 0;
  std::vector<FittedValue> values;
};

/// Predictions against published measurements: the document stallscope.validation/1.
struct Validation {
  ToolInfo tool;
  std::string created;
  std::vector<std::string> argv;
  HostInfo host;
  std::string file;
  std::string mode;                            ///< "scaling" or "absolute"
  std::optional<std::string> left_out_by;      ///< "source": every row was predicted without its own source
  std::optional<ErrorMeasures> all_reduce;     ///< all rows whose gradients are all-reduced by the devices
  std::optional<ErrorMeasures> several_nodes;  ///< those of them on more than one machine
  std::optional<double> perfect_scaling_mape;  ///< what "n devices are n times as fast" would err by
  std::optional<double> constant_mape;         ///< what 0.95 for every doubling would err by
  std::vector<ErrorGroup> apart;               ///< other kinds of synchronisation, by kind
  std::vector<ErrorGroup> groups;
  std::vector<std::size_t> worst;  ///< indices into rows, worst first
  int unpredicted = 0;             ///< rows with a reason
  std::vector<FittedSet> parameters;
  std::vector<ValidatedRow> rows;
};

/// Indented JSON with a final newline. Throws Error where a number is not finite.
std::string ToJson(const Validation& validation);

}  // namespace stallscope
