#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/document/machine_card.h"

namespace stallscope {

inline constexpr const char* kPredictionSchema = "stallscope.prediction/1";

/// What a predicted number rests on, best first (docs/predict.md).
inline constexpr const char* kBasisMeasured = "measured";    ///< by the user, for the very thing
inline constexpr const char* kBasisPublished = "published";  ///< by others, for the very thing
inline constexpr const char* kBasisScaled = "scaled";        ///< measured or published for something like it
inline constexpr const char* kBasisTable = "table";          ///< tables of layers and machines alone

/// What would be trained.
struct PredictedWorkload {
  std::string model;
  std::optional<std::string> profile;  ///< the file, where the workload was measured
  std::int64_t parameters = 0;
  std::int64_t gradient_bytes = 0;  ///< that one step reduces
  std::int64_t batch_per_device = 0;
  std::string dtype;
  std::string stack;
  std::optional<std::int64_t> image_size;
  std::optional<std::int64_t> sequence_length;
  std::optional<std::string> dataset;  ///< the preset's name
  std::optional<double> samples;       ///< of an epoch
  std::optional<double> sample_bytes;
};

/// One part of a step: the growth over the rung below it, as the ladder measures it.
struct PredictedPart {
  Estimate seconds;
  double share = 0;  ///< of the mean step
  std::string basis;
  std::string from;  ///< one clause
};

struct PredictedPrice {
  double usd_per_hour = 0;  ///< of one machine
  int machines = 1;
  std::string region;
  std::string date;  ///< of the list
  bool stale = false;
  std::string pays_for;  ///< one clause
};

/// A number of machines with the workload on them.
struct PredictedMachine {
  std::string instance;
  std::string provider;
  std::string gpu;          ///< or "cpu"
  std::string description;  ///< one clause: the links that the prediction reckons with
  int nodes = 1;
  int devices_per_node = 1;
  Estimate step_time_s;
  Estimate samples_per_s;
  PredictedPart compute;
  std::optional<PredictedPart> interconnect;
  std::optional<PredictedPart> network;
  std::optional<PredictedPart> prep;
  std::optional<PredictedPart> fetch;
  std::optional<double> cached_share;  ///< of the data that each machine's memory holds
  std::vector<AbsentPart> absent;
  std::optional<Estimate> epoch_time_s;
  std::optional<Estimate> epoch_cost_usd;
  std::optional<PredictedPrice> price;
  std::string basis;                 ///< the weakest of the parts of 1 % of the step or more
  std::vector<std::string> assumed;  ///< what neither the catalog nor the user says

  int devices() const { return nodes * devices_per_node; }
};

/// The same machines with something about them changed.
struct PredictedChange {
  std::string what;           ///< "25 Gbit between machines"
  Estimate step_time_change;  ///< changed / plain - 1
  PredictedMachine changed;
};

struct PredictedChoice {
  PredictedMachine plain;
  std::optional<PredictedChange> what_if;
};

struct RefusedMachine {
  std::string instance;
  int nodes = 1;
  std::string reason;
  std::string fix;
};

/// A workload on machines that nobody has rented yet: the document stallscope.prediction/1.
struct Prediction {
  ToolInfo tool;
  std::string created;
  std::vector<std::string> argv;
  HostInfo host;
  PredictedWorkload workload;
  std::vector<PredictedChoice> choices;  ///< one at least; the first one's fields stand at the top as well
  std::vector<RefusedMachine> refused;
};

/// Indented JSON with a final newline. Throws Error where a number is not finite.
std::string ToJson(const Prediction& prediction);

/// Throws Error with one sentence that names the field.
Prediction PredictionFromJson(const std::string& text, const std::string& source);

}  // namespace stallscope
