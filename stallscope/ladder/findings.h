#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stallscope/document/profile.h"

namespace stallscope {

/// What the findings need beside the profile itself.
struct FindingsInput {
  double tolerance = 0.03;
  bool never_idle = false;
  std::string overdue;  ///< what was given up because --max-time was long over; empty: nothing
  std::optional<int> cores_per_machine;
  int devices_per_host = 1;
};

/// What is worth knowing about a profile whose numbers are filled in: first what could save most per
/// step, then what makes the numbers less trustworthy, by severity.
std::vector<Finding> FindingsFor(const Profile& profile, const FindingsInput& input);

}  // namespace stallscope
