#include "stallscope/base/environment.h"

#include <cstdlib>

namespace stallscope {

Environment ProcessEnvironment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
  };
}

}  // namespace stallscope
