#pragma once

#include <string>
#include <string_view>

namespace stallscope {

/// Tables of one publisher count as one source: "lambda_v0" to "lambda_v2" are "lambda".
std::string SourceGroup(std::string_view source);

}  // namespace stallscope
