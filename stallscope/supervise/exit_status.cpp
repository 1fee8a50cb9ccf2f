#include "stallscope/supervise/exit_status.h"

#include <fmt/format.h>

#include <cstring>

namespace stallscope {

std::string ExitStatus::Text() const {
  if (signal) {
    const char* name = sigdescr_np(*signal);
    return fmt::format("signal {} ({})", *signal, name != nullptr ? name : "unnamed");
  }
  return fmt::format("exit code {}", exit_code.value_or(-1));
}

}  // namespace stallscope
