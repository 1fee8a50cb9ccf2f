#pragma once

#include "stallscope/document/estimate.h"

namespace stallscope {

/// a - b for estimates of separate measurements, which nothing pairs. Each end's distance from the mean is
/// the root of the sum of the squares of the two distances that push it there: low from a's low and b's
/// high, high from a's high and b's low (Zou and Donner 2008, "Construction of confidence limits about
/// effect measures"), so that a lopsided interval stays lopsided.
Estimate DifferenceOf(const Estimate& a, const Estimate& b);

/// All three numbers divided by a positive number that is taken as exact.
Estimate ScaledDown(const Estimate& estimate, double divisor);

}  // namespace stallscope
