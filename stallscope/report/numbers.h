#pragma once

#include <string>

#include "stallscope/document/estimate.h"
#include "stallscope/report/style.h"

namespace stallscope {

/// "250 ms ± 5.00 ms".
std::string TimeText(const Estimate& seconds, const TextStyle& style);

/// "26.5 % ± 2.0 %".
std::string ShareText(const Estimate& share, const TextStyle& style);

}  // namespace stallscope
