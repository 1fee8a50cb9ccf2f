#include "stallscope/machine/memory_room.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>

namespace stallscope {
namespace {

std::optional<std::int64_t> AvailableBytes(const Root& root) {
  std::istringstream lines(ReadText(root, "proc/meminfo").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name;
    std::int64_t kib = 0;
    if (fields >> name >> kib && name == "MemAvailable:" && kib >= 0) return kib * 1024;
  }
  return std::nullopt;
}

std::optional<std::int64_t> NumberIn(const Root& root, const std::filesystem::path& file) {
  std::istringstream text(ReadText(root, file.string()).value_or(""));
  std::int64_t number = 0;
  // "max" is no number, and no limit.
  return text >> number ? std::optional(number) : std::nullopt;
}

/// The least limit of a cgroup and those above it. The ranks themselves take part of it too: an upper bound.
std::optional<std::int64_t> LimitAbove(const Root& root, const std::filesystem::path& top,
                                       std::filesystem::path group, const char* limit_file) {
  std::optional<std::int64_t> least;
  while (true) {
    const std::filesystem::path folder = top / group.relative_path();
    if (const auto limit = NumberIn(root, folder / limit_file)) {
      least = std::min(least.value_or(*limit), *limit);
    }
    if (!group.has_relative_path()) return least;
    group = group.parent_path();
  }
}

}  // namespace

std::optional<std::int64_t> MemoryRoom(const Root& root) {
  std::optional<std::int64_t> room = AvailableBytes(root);
  if (!room) return std::nullopt;
  std::istringstream groups(ReadText(root, "proc/self/cgroup").value_or(""));
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    std::optional<std::int64_t> limit;
    if (controllers.empty()) limit = LimitAbove(root, "sys/fs/cgroup", group, "memory.max");
    if (("," + controllers + ",").find(",memory,") != std::string::npos)
      limit = LimitAbove(root, "sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
    if (limit) room = std::min(*room, *limit);
  }
  return room;
}

}  // namespace stallscope
