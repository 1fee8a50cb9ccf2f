#pragma once

#include <ostream>

#include "stallscope/document/machine_card.h"
#include "stallscope/report/style.h"

namespace stallscope {

/// A machine card for people: what the machine is, what was measured, and what was expected of it.
void PrintMachine(const MachineCard& card, const TextStyle& style, std::ostream& out);

/// "1.25 GB/s ± 30 MB/s"; a value that is known exactly has no ±.
std::string QuantityText(const Estimate& value, const std::string& unit, const TextStyle& style);

/// One sentence on what was expected: what was missed, by name.
std::string ExpectationVerdict(const Expectation& expectation);

}  // namespace stallscope
