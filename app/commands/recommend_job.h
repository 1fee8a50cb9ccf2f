#pragma once

#include "app/commands/recommend_options.h"
#include "stallscope/document/recommendation.h"

namespace stallscope {

/// Everything of the document but who wrote it when.
Recommendation Recommended(const RecommendFlags& flags);

}  // namespace stallscope
