#pragma once

#include <string>
#include <vector>

#include "stallscope/document/recommendation.h"
#include "stallscope/recommend/calibrate.h"
#include "stallscope/recommend/choose.h"
#include "stallscope/recommend/forecast.h"
#include "stallscope/recommend/price_book.h"

namespace stallscope {

/// Everything that a recommendation rests on.
struct RecommendRequest {
  TrainingPlan plan;
  ForecastRange range;
  JobSize job;
  Question question;
  MoneyRules money;
  PriceChanges prices;
  PriceFilter filter;
  std::vector<KnownRun> runs;            ///< the user's own first, newest first
  std::vector<MachineProblem> left_out;  ///< machines that were never tried: retired ones
  std::size_t top = 10;
  std::string today;     ///< "2026-11-17", for the age of prices
  std::string training;  ///< "90 epochs": what the money pays for
};

/// The confidences at which a page may ask again without this program.
const std::vector<double>& ConfidenceSteps();

/// Predicts, prices and chooses. Pure: the same arguments give the same document. What the caller knows
/// (workload, tool, time, host, assumptions of money) is for it to fill in.
Recommendation Recommend(const RecommendRequest& request, const Catalog& catalog, const ComputeModel& compute,
                         const ScalingParameters& scaling);

}  // namespace stallscope
