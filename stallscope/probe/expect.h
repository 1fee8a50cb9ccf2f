#pragma once

#include <string>
#include <vector>

#include "stallscope/document/machine_card.h"

namespace stallscope {

inline constexpr const char* kMet = "met";
inline constexpr const char* kMissed = "missed";
inline constexpr const char* kUnsure = "unsure";
inline constexpr const char* kAbsent = "absent";

/// Every expected quantity against the found one of the same name, in the order of `expected`.
///
/// Missed: the difference between what was found and `fail_below` of what is expected lies below zero with
/// its whole 95 % interval, in which both sides' intervals are. Where only its mean does, the verdict is
/// unsure: noise alone must not condemn a machine. A quantity of which less is better (a latency) is missed
/// above expected / fail_below. What was not found is absent, which is no verdict on the machine.
Expectation Judge(const std::vector<Quantity>& found, const std::vector<Quantity>& expected,
                  const std::string& of, double fail_below);

}  // namespace stallscope
