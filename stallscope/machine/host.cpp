#include "stallscope/machine/host.h"

#include <fmt/core.h>

#include <charconv>
#include <filesystem>
#include <sstream>
#include <string>

#include "stallscope/machine/file_line.h"

namespace stallscope {
namespace {

void ReadCpuInfo(const Root& root, HostInfo& host) {
  std::istringstream text(ReadText(root, "proc/cpuinfo").value_or(""));
  int cores = 0;
  std::string implementer;
  for (std::string line; std::getline(text, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string key = Trimmed(line.substr(0, colon));
    const std::string value = Trimmed(line.substr(colon + 1));
    if (key == "processor") ++cores;
    if (key == "model name" && !host.cpu) host.cpu = value;
    // Arm kernels give no model name, only numbers.
    if (key == "CPU implementer") implementer = "Arm implementer " + value;
    if (key == "CPU part" && !implementer.empty() && !host.cpu)
      host.cpu = fmt::format("{} part {}", implementer, value);
  }
  if (cores > 0) host.cores = cores;
}

void ReadMemory(const Root& root, HostInfo& host) {
  std::istringstream text(ReadText(root, "proc/meminfo").value_or(""));
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with("MemTotal:")) continue;
    const std::string number = Trimmed(line.substr(9));
    std::int64_t kibibytes = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), kibibytes);
    // The kernel writes "kB" and means 1024.
    if (error == std::errc() && kibibytes > 0 && std::string_view(end) == " kB") {
      host.memory_bytes = kibibytes * 1024;
    }
    return;
  }
}

}  // namespace

HostInfo ReadHost(const Root& root) {
  HostInfo host;
  host.name = FirstLine(root, "proc/sys/kernel/hostname");
  host.kernel = FirstLine(root, "proc/sys/kernel/osrelease");
  ReadCpuInfo(root, host);
  ReadMemory(root, host);
  return host;
}

bool HasNvidiaGpu(const Root& root) {
  std::error_code ignored;
  return std::filesystem::exists(root.path / "proc/driver/nvidia", ignored) ||
         std::filesystem::exists(root.path / "dev/nvidia0", ignored);
}

}  // namespace stallscope
