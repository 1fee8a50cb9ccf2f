#include "stallscope/base/clock.h"

#include <array>
#include <ctime>

namespace stallscope {
namespace {

std::string FormatTime(const char* format, std::tm* (*convert)(const std::time_t*, std::tm*)) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  convert(&now, &parts);
  std::array<char, 64> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), format, &parts);
  return {text.data(), length};
}

}  // namespace

double MonotonicSeconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string UtcNow() {
  return FormatTime("%Y-%m-%dT%H:%M:%SZ", gmtime_r);
}

std::string LocalTimeStamp() {
  return FormatTime("%Y%m%d-%H%M%S", localtime_r);
}

}  // namespace stallscope
