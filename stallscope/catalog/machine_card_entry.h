#pragma once

#include <string>

#include "stallscope/catalog/machine.h"

namespace stallscope {

/// A machine card (`stallscope.machine/1`, from `probe`) as an entry of the catalog: provider "own", the
/// host's name, and what the card says of GPUs, cores, memory and interfaces. Throws Error.
Machine MachineFromCard(const std::string& text, const std::string& source);

}  // namespace stallscope
