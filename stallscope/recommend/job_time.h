#pragma once

#include "stallscope/document/estimate.h"

namespace stallscope {

/// How long a job takes, in hours: what is certain, and the work with what the prediction leaves open. The
/// work is distributed as two halves of log-normal distributions that meet at its mean: 95 % lie between low
/// and high.
struct JobTime {
  double setup_h = 0;
  Estimate work_h;
};

/// Beyond this the ends of an interval say little; before half, hope is no plan.
inline constexpr double kLeastConfidence = 0.5;
inline constexpr double kMostConfidence = 0.99;

/// z of a confidence as HoursAt takes it: deviations in units of the interval's half.
double IntervalsOf(double confidence);

/// Hours that the job keeps within with the confidence whose IntervalsOf is given (0 for the mean, 1 for the
/// high end).
double HoursAt(const JobTime& time, double intervals);

/// Probability that the job takes at most so many hours.
double ProbabilityWithin(const JobTime& time, double hours);

/// Mean and ends of the whole.
Estimate TotalHours(const JobTime& time);

}  // namespace stallscope
