#pragma once

#include "stallscope/document/host.h"
#include "stallscope/document/json_fields.h"

namespace stallscope {

Json HostToJson(const HostInfo& host);

/// Throws Error that names the field.
HostInfo HostFromJson(const JsonFields& fields);

}  // namespace stallscope
