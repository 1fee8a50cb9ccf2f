#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stallscope/document/json_fields.h"

namespace stallscope {

/// What every document begins with: the schema, this program, now, `argv`, this machine and the seed.
Json DocumentHeader(const std::string& schema, const std::vector<std::string>& argv, std::uint64_t seed);

}  // namespace stallscope
