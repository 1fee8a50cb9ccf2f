#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/document/profile.h"

namespace stallscope {

inline constexpr const char* kLawSchema = "stallscope.law/1";

/// A network of the sweep and what it was fed.
struct LawNetwork {
  std::string name;
  std::string family;  ///< "layers", "bytes", "resnet", "vgg" or "other"
  std::int64_t layers = 0;
  std::int64_t gradient_tensors = 0;
  std::int64_t gradient_bytes = 0;
  std::int64_t parameters = 0;
  int batch = 1;
  std::optional<std::int64_t> image_size;
  std::optional<std::int64_t> sequence_length;
};

/// What gradients travel in, over which link, between how many ranks.
struct LawPlace {
  std::string bucket;  ///< "tensor", "model", or a size
  std::string link;    ///< "unshaped", or a rate
  int ranks = 2;

  bool operator==(const LawPlace&) const = default;
};

/// A predicted stall beside a measured one.
struct LawJudgement {
  double stall_s = 0;
  double error = 0;  ///< (predicted - measured stall) / measured step time
};

/// What the law's stall consists of; all but `hidden_s` add up to it.
struct LawParts {
  double wire_s = 0;
  double calls_s = 0;
  double processors_s = 0;
  double stragglers_s = 0;
  double hidden_s = 0;  ///< of the transfers, behind the backward pass
};

struct LawPoint {
  std::string network;  ///< LawNetwork::name
  LawPlace place;
  std::optional<double> bandwidth_bytes_per_s;  ///< of a shaped link
  int all_reduces = 1;
  int rounds = 0;
  Estimate compute_s;  ///< the step of ranks that do not synchronise
  double backward_s = 0;
  Estimate step_time_s;
  Estimate stall_s;
  bool fitted = true;
  LawJudgement law;
  std::optional<LawJudgement> law_left_out;
  std::optional<LawJudgement> macroscopic_left_out;
  std::optional<LawParts> parts;
};

struct LawValue {
  std::string name;
  std::string unit;
  std::string meaning;
  Estimate value;
};

/// Absolute errors as shares of step time.
struct LawErrors {
  int points = 0;
  int networks = 0;
  double median = 0;
  double percentile90 = 0;
  double worst = 0;
  double bias = 0;  ///< mean signed error
  std::optional<std::size_t> worst_point;
};

/// Errors of points with something in common.
struct LawErrorGroup {
  std::string name;
  LawErrors law;
  std::optional<LawErrors> macroscopic;
};

/// stall = base + per_layer x layers + per_byte x gradient bytes, at one place.
struct MacroscopicForm {
  LawPlace place;
  int points = 0;
  Estimate base_s;
  Estimate per_layer_s;
  Estimate per_byte_s;
};

struct LawDepthRow {
  std::string network;
  std::int64_t layers = 0;
  std::int64_t gradient_tensors = 0;
  std::int64_t gradient_bytes = 0;
  int all_reduces = 1;
  Estimate stall_s;
  double law_s = 0;
};

/// The same gradient bytes in more and more layers, at one place.
struct LawDepth {
  LawPlace place;
  double gradient_bytes = 0;
  std::vector<LawDepthRow> rows;
  Estimate per_layer_s;
  bool distinguishable = false;
  std::optional<Estimate> growth;
};

struct LawExtrapolationRow {
  std::string network;
  LawPlace place;
  Estimate stall_s;
  double predicted_s = 0;
  double error = 0;          ///< predicted / measured stall - 1
  double error_of_step = 0;  ///< the same difference as a share of the step
};

/// The law of small networks, on larger ones.
struct LawExtrapolation {
  std::int64_t below_parameters = 0;
  std::vector<std::string> networks;  ///< fitted on
  std::vector<LawExtrapolationRow> rows;
  double worst = 0;
};

struct LawStatement {
  std::string text;
  std::optional<std::string> bucket;
  std::optional<std::string> link;
  std::optional<int> ranks;
};

/// "at 1Gbit", "over an unshaped link".
inline std::string LinkWords(const std::string& link) {
  return link == "unshaped" ? "over an unshaped link" : "at " + link;
}

struct LawMissing {
  std::string network;
  LawPlace place;
  std::string reason;
};

/// A sweep over networks and the law fitted to it: the document stallscope.law/1.
struct Law {
  ToolInfo tool;
  std::string created;
  std::vector<std::string> argv;
  HostInfo host;
  std::uint64_t seed = 0;
  std::string answer;
  std::vector<LawStatement> statements;
  std::size_t planned_points = 0;
  double sweep_seconds = 0;
  std::vector<LawMissing> missing;
  std::vector<LawNetwork> networks;
  std::vector<LawPoint> points;
  std::vector<LawValue> coefficients;
  std::optional<LawErrors> law_errors;          ///< each point without its network
  std::optional<LawErrors> macroscopic_errors;  ///< likewise
  std::optional<LawErrors> fitted_errors;       ///< of the law fitted on all
  std::vector<LawErrorGroup> by_link;
  std::vector<LawErrorGroup> by_bucket;
  std::vector<MacroscopicForm> macroscopic;
  std::vector<LawDepth> depth;
  std::optional<LawExtrapolation> extrapolation;
};

/// Indented JSON with a final newline. Throws Error where a number is not finite.
std::string ToJson(const Law& law);

/// Throws Error with one sentence that names the field. `source` is the file, for that sentence.
Law LawFromJson(const std::string& text, const std::string& source);

}  // namespace stallscope
