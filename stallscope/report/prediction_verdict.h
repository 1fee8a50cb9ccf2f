#pragma once

#include <string>

#include "stallscope/document/prediction.h"

namespace stallscope {

/// One machine: the step, its largest stall, the epoch and what a change would bring. Several: which is
/// fastest and which cheapest, and which are too close to call.
std::string Verdict(const Prediction& prediction);

}  // namespace stallscope
