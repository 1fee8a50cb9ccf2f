#pragma once

#include <ostream>
#include <string>

#include "stallscope/document/comparison.h"
#include "stallscope/report/style.h"

namespace stallscope {

/// For every profile but the baseline one table: the step time and each stall in both, the difference with
/// its interval, and the verdict; then one sentence, and what else differs.
void PrintComparison(const Comparison& comparison, const TextStyle& style, std::ostream& out);

/// "b.json is slower than a.json: a step takes 12 % longer (8 to 16 %)."
std::string Verdict(const ComparedProfile& other, const std::string& baseline);

}  // namespace stallscope
