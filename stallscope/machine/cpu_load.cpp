#include "stallscope/machine/cpu_load.h"

#include <array>
#include <sstream>
#include <string>

namespace stallscope {

std::optional<CpuLoad> ReadCpuLoad(const Root& root, double ticks_per_second) {
  const std::optional<std::string> text = ReadText(root, "proc/stat");
  if (!text) return std::nullopt;
  std::istringstream stream(*text);
  std::string label;
  enum { kUser, kNice, kSystem, kIdle, kIowait, kIrq, kSoftirq, kSteal, kFields };
  std::array<double, kFields> ticks{};
  if (!(stream >> label) || label != "cpu") return std::nullopt;
  for (double& field : ticks) {
    if (!(stream >> field) || field < 0) return std::nullopt;
  }
  const double interrupts = ticks[kIrq] + ticks[kSoftirq];
  const double busy = ticks[kUser] + ticks[kNice] + ticks[kSystem] + interrupts;
  return CpuLoad{.busy_s = busy / ticks_per_second,
                 .steal_s = ticks[kSteal] / ticks_per_second,
                 .interrupts_s = interrupts / ticks_per_second};
}

}  // namespace stallscope
