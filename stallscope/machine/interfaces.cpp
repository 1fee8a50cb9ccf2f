#include "stallscope/machine/interfaces.h"

#include <algorithm>
#include <charconv>

#include "stallscope/machine/file_line.h"

namespace stallscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "sys/class/net";
constexpr int kLoopbackType = 772;  // ARPHRD_LOOPBACK of linux/if_arp.h
constexpr double kBytesPerMegabit = 1e6 / 8;

std::optional<int> ReadInt(const Root& root, const std::string& path) {
  const std::string text = FirstLine(root, path);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
  return whole ? std::optional(value) : std::nullopt;
}

InterfaceFacts ReadInterface(const Root& root, const std::string& name) {
  const std::string folder = std::string(kFolder) + "/" + name;
  InterfaceFacts interface { .name = name, .mtu = ReadInt(root, folder + "/mtu") };
  // Interfaces that are down or virtual say -1, or refuse to be read.
  const auto megabits = ReadInt(root, folder + "/speed");
  if (megabits && *megabits > 0) interface.bytes_per_s = *megabits * kBytesPerMegabit;
  const std::string state = FirstLine(root, folder + "/operstate");
  if (!state.empty()) interface.state = state;
  std::error_code error;
  interface.is_virtual = !fs::exists(root.path / folder / "device", error);
  const fs::path driver = fs::read_symlink(root.path / folder / "device/driver", error);
  if (!error) interface.driver = driver.filename();
  return interface;
}

}  // namespace

std::vector<InterfaceFacts> ReadInterfaces(const Root& root) {
  std::vector<InterfaceFacts> interfaces;
  std::error_code error;
  fs::directory_iterator entries(root.path / kFolder, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const std::string name = entries->path().filename();
    // bonding_masters is a file among the folders.
    if (!fs::is_directory(entries->path(), error)) continue;
    if (ReadInt(root, std::string(kFolder) + "/" + name + "/type") == kLoopbackType) continue;
    interfaces.push_back(ReadInterface(root, name));
  }
  std::sort(interfaces.begin(), interfaces.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return interfaces;
}

}  // namespace stallscope
