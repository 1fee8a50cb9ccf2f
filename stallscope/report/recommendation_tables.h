#pragma once

#include <ostream>

#include "stallscope/document/recommendation.h"

namespace stallscope {

/// Every candidate of the document, one line each, for other programs; empty where a value does not apply.
void WriteRecommendationCsv(const Recommendation& recommendation, std::ostream& out);

/// The choice in a sentence and the best of each machine as a table, for tickets and wikis.
void WriteRecommendationMarkdown(const Recommendation& recommendation, std::ostream& out);

}  // namespace stallscope
