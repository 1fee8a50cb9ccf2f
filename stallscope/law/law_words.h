#pragma once

#include <string>
#include <vector>

#include "stallscope/document/law.h"

namespace stallscope {

/// What dominates where: a sentence for each place, and for each link the size below which an all-reduce is
/// bound by its messages. Everything is read from the document's points and coefficients.
std::vector<LawStatement> StatementsOf(const Law& law);

/// Does the number of layers matter once gradients are bucketed? From the measured slopes (`depth`) where the
/// sweep has them, else from the coefficients.
std::string AnswerOf(const Law& law);

}  // namespace stallscope
