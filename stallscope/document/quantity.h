#pragma once

#include <string>

#include "stallscope/document/estimate.h"

namespace stallscope {

inline constexpr const char* kMeasured = "measured";      ///< by a probe
inline constexpr const char* kReported = "reported";      ///< by the kernel or a driver
inline constexpr const char* kDocumented = "documented";  ///< by whoever rents out or makes the machine

/// One number by which machines are compared. Its name is the same whether a probe measured it or a catalog
/// documents it (docs/probe.md lists them).
struct Quantity {
  std::string name;
  std::string unit;  ///< "B/s", "B", "s", "images/s"; empty for counts
  Estimate value;    ///< what is known exactly has low = mean = high
  bool higher_is_better = true;
  std::string basis;   ///< kMeasured, kReported or kDocumented
  std::string source;  ///< where it comes from, in a few words
};

inline Estimate Exactly(double value) {
  return {value, value, value};
}

}  // namespace stallscope
