#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stallscope/document/estimate.h"
#include "stallscope/document/profile.h"

namespace stallscope {

inline constexpr const char* kComparisonSchema = "stallscope.comparison/1";

/// What became of a time, against the baseline. Indistinguishable: the interval of the difference holds 0.
enum class Change { kBetter, kWorse, kIndistinguishable, kNotComparable };

/// "better", "worse", "indistinguishable" or "not comparable".
std::string ToString(Change change);

/// One time of two profiles. The difference is there exactly where the two can be compared.
struct ComparedTime {
  std::optional<Estimate> baseline_s;
  std::optional<Estimate> other_s;
  std::optional<Estimate> difference_s;  ///< other - baseline: negative is faster
  std::optional<Estimate> relative;      ///< the difference as a share of the baseline's step time
  Change verdict = Change::kNotComparable;
  std::optional<std::string> reason;  ///< why they cannot be compared
};

struct ComparedStall {
  std::string name;                    ///< as in a profile's `stalls`
  std::optional<std::string> part_of;  ///< the stall whose part it is
  ComparedTime time;
};

/// Which profile was compared.
struct ComparedFile {
  std::string file;
  std::string created;
  std::string host;
  std::string model;
  int nodes = 1;
  int devices_per_node = 1;
};

/// One profile against the baseline.
struct ComparedProfile {
  ComparedFile profile;
  /// Whose step time the total is: "steady_state" or a rung's name; absent where there is none in common.
  std::optional<std::string> total_of;
  ComparedTime total;
  std::vector<ComparedStall> stalls;  ///< those that at least one of the two has; a part follows its whole
  std::vector<std::string> notes;     ///< what else differs, a sentence each
};

/// Two or more profiles, the first of which is the baseline: the document stallscope.comparison/1.
struct Comparison {
  ToolInfo tool;
  std::string created;
  std::vector<std::string> argv;
  HostInfo host;
  ComparedFile baseline;
  std::vector<ComparedProfile> others;
};

/// Indented JSON with a final newline. Throws Error where a number is not finite.
std::string ToJson(const Comparison& comparison);

}  // namespace stallscope
