#pragma once

#include <string>

#include "stallscope/document/profile.h"

namespace stallscope {

/// The network stall as the literature has it: this profile's `cluster` step time minus the `node` step time
/// of one machine that holds as many devices, as separate measurements; the share is of this profile's
/// cluster step. `file` is the other's, for the document and for complaints. Throws UsageError where a rung
/// is missing, or where the two trained something else or on another number of devices.
ReferenceInfo ReferenceNetworkStall(const Profile& mine, const Profile& other, const std::string& file);

}  // namespace stallscope
