#pragma once

#include <ostream>

#include "stallscope/document/observation.h"
#include "stallscope/report/style.h"

namespace stallscope {

/// A table of the parts of a step, and the verdict in a sentence.
void PrintObservation(const Observation& observation, const TextStyle& style, std::ostream& out);

/// "31 % of a step waits for data (29 to 33 %); 12 % ..." from the largest down; parts below 1 % are left
/// out.
std::string ObservedVerdict(const Observation& observation);

}  // namespace stallscope
