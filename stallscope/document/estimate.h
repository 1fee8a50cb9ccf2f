#pragma once

namespace stallscope {

/// A mean with its 95 % interval.
struct Estimate {
  double mean = 0;
  double low = 0;
  double high = 0;

  double HalfWidth() const { return (high - low) / 2; }
  bool HoldsZero() const { return low <= 0 && high >= 0; }
};

}  // namespace stallscope
