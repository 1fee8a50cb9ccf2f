#pragma once

#include <string>

#include "stallscope/document/machine_card.h"

namespace stallscope {

/// The card in a file, or in the folder that a probe left it in. Throws Error.
MachineCard ReadMachineAt(const std::string& given);

}  // namespace stallscope
