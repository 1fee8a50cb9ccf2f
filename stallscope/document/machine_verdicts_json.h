#pragma once

#include "stallscope/document/json_fields.h"
#include "stallscope/document/machine_card.h"

namespace stallscope {

Json WatchToJson(const WatchResult& watch);
Json ExpectationToJson(const Expectation& expectation);

/// These throw Error that names the field.
WatchResult WatchFromJson(const JsonFields& fields);
Expectation ExpectationFromJson(const JsonFields& fields);

}  // namespace stallscope
