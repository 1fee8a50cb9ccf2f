#pragma once

#include "stallscope/document/json_fields.h"
#include "stallscope/document/profile.h"

namespace stallscope {

/// A rung as profile.json holds it; the journal of finished rounds writes its blocks the same way.
Json ToJson(const ConditionInfo& condition);
ConditionInfo ConditionFromJson(const JsonFields& fields);

}  // namespace stallscope
