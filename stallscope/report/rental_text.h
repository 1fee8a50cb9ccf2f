#pragma once

#include <string>

#include "stallscope/document/recommendation.h"
#include "stallscope/document/rental_units.h"

namespace stallscope {

/// "aws us-east-1".
std::string PlaceText(const RecommendedCandidate& candidate);
/// "p3.8xlarge", "p3.8xlarge spot".
std::string NameText(const RecommendedCandidate& candidate);
/// "list of 2024-11-14, stale", "yours".
std::string PriceText(const RecommendedCandidate& candidate);

}  // namespace stallscope
