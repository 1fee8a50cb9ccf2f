#pragma once

#include <optional>

#include "stallscope/base/root.h"
#include "stallscope/document/machine_facts.h"

namespace stallscope {

/// Who rents this machine out, by the names in sys/class/dmi/id that the providers document for that purpose;
/// nothing where they name nobody known. Only AWS writes the instance type there; the others tell it
/// over the network to who asks, which nothing here does.
std::optional<CloudMachine> RecogniseCloud(const Root& root);

}  // namespace stallscope
