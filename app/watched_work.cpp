#include "app/watched_work.h"

#include <csignal>

namespace stallscope {

bool WatchedWork::Continue(const std::function<std::string()>& line) {
  if (signals_.Read().first()) return false;
  status_.Show(line);
  return true;
}

std::optional<ExitCode> WatchedWork::interrupted() {
  const std::optional<int> signal = signals_.Read().first();
  if (!signal) return std::nullopt;
  return *signal == SIGINT ? kExitInterrupted : kExitTerminated;
}

}  // namespace stallscope
