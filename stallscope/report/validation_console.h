#pragma once

#include <ostream>

#include "stallscope/document/validation.h"
#include "stallscope/report/style.h"

namespace stallscope {

/// The errors as a whole and by group, the worst rows, what could not be predicted, and the parameters used.
void PrintValidation(const Validation& validation, const TextStyle& style, std::ostream& out);

}  // namespace stallscope
