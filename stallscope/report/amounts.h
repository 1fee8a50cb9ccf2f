#pragma once

#include <string>

#include "stallscope/document/estimate.h"

namespace stallscope {

/// The unit that a field's name tells: "step_time_s" is in "s", "gradient_bytes" in "B", "bytes_per_s" in
/// "B/s", "samples_per_s" in "samples/s", "cached_share" a "share", "cost_usd" in "USD", "hours" in "h".
/// Empty: a count.
std::string UnitOf(const std::string& field);

/// "412 ms", "31.2 %", "46.8 MB", "11,689,512".
std::string AmountText(double value, const std::string& unit);

/// "250 ms ± 5.00 ms"; "250 ms (200 ms to 400 ms)" where the interval lies askew.
std::string EstimateText(const Estimate& estimate, const std::string& unit);

}  // namespace stallscope
