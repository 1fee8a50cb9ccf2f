#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stallscope/document/prediction.h"

namespace stallscope {

/// "2 x p3.8xlarge".
std::string ChoiceName(const PredictedMachine& machine);

/// Three digits: "12.2", "1974", "0.0123".
std::string NumberText(double value);
/// "25.6 million", "33.6 thousand", "512".
std::string CountText(double count);
/// "4.43 USD".
std::string MoneyText(double usd);
/// Three digits, from seconds to days: "48.3 s", "10.9 min", "2.31 h", "4.20 days".
std::string EpochText(double seconds);
/// "+12 %", "-3.4 %".
std::string ChangeText(double share);

/// "110 ms to 160 ms", by the text of one value.
template <typename Text>
std::string RangeText(const Estimate& estimate, const Text& text) {
  return text(estimate.low) + " to " + text(estimate.high);
}

/// The parts that are there, from the bottom of the ladder, with their names.
std::vector<std::pair<std::string, const PredictedPart*>> PartsOf(const PredictedMachine& machine);

/// "2 x 12.24 USD an hour on demand in us-east-1, list of 2026-03-31 (stale)".
std::string PriceText(const PredictedPrice& price);

}  // namespace stallscope
