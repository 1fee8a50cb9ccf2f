#pragma once

#include <functional>
#include <optional>
#include <string>

namespace stallscope {

/// A variable's value, or nothing where it is not set; tests pass a map.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// The variables of this process.
Environment ProcessEnvironment();

}  // namespace stallscope
