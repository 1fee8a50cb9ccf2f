#pragma once

#include <ostream>

#include "stallscope/document/recommendation.h"
#include "stallscope/report/style.h"

namespace stallscope {

/// The choice and what it costs, the alternatives, the front, why others were not chosen, the next
/// measurement.
void PrintRecommendation(const Recommendation& recommendation, const TextStyle& style, std::ostream& out);

}  // namespace stallscope
