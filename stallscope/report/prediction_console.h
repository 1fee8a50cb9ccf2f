#pragma once

#include <ostream>

#include "stallscope/document/prediction.h"
#include "stallscope/report/style.h"

namespace stallscope {

/// One machine in full, or several as a table; what-ifs beside the plain prediction; what each number rests
/// on; what was refused, and why.
void PrintPrediction(const Prediction& prediction, const TextStyle& style, std::ostream& out);

}  // namespace stallscope
