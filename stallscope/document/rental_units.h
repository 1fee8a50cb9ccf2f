#pragma once

#include <string>

namespace stallscope {

/// "14.2 h", "35 min", "12.0 days".
std::string HoursText(double hours);
/// "347 USD", "9.12 USD".
std::string UsdText(double usd);

}  // namespace stallscope
