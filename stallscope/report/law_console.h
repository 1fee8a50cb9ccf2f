#pragma once

#include <ostream>

#include "stallscope/document/law.h"
#include "stallscope/report/style.h"

namespace stallscope {

/// The answer, what dominates where, coefficients, errors of both forms, stalls against layers, and the law
/// of small networks on larger ones.
void PrintLaw(const Law& law, const TextStyle& style, std::ostream& out);

}  // namespace stallscope
