#pragma once

#include <optional>
#include <string>

#include "stallscope/document/machine_card.h"

namespace stallscope {

/// Whether a text is a document whose schema begins so, as "stallscope.machine/".
bool IsOfKind(const std::string& text, const char* schema_prefix);

/// The card in a file, or in the folder that a probe left it in; nothing where what is there is another
/// document, or no document at all. Throws Error where a card cannot be read.
std::optional<MachineCard> FindMachineAt(const std::string& given);

/// The same where a card is all that will do. Throws Error.
MachineCard ReadMachineAt(const std::string& given);

}  // namespace stallscope
