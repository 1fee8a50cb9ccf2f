#pragma once

#include <string>
#include <vector>

namespace stallscope {

enum class Health { kGood, kLimited, kMissing };

/// One thing that measuring here may need.
struct Check {
  std::string name;
  Health health = Health::kGood;
  std::string found;
  std::string fix;      ///< empty where nothing is to be done
  bool needed = false;  ///< without it no ladder can run
};

std::vector<Check> RunChecks();

}  // namespace stallscope
