#include "stallscope/machine/resources.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "stallscope/machine/cpu_load.h"

namespace stallscope {
namespace {

/// The kernel's unit in proc/diskstats, whatever the disk's own sectors are.
constexpr double kSectorBytes = 512;

struct Bytes {
  double in = 0;
  double out = 0;
};

/// Takes the text up to the next separator from the front of `rest`.
std::string_view TakeUntil(std::string_view& rest, char separator) {
  const std::size_t length = std::min(rest.find(separator), rest.size());
  const std::string_view taken = rest.substr(0, length);
  rest.remove_prefix(std::min(length + 1, rest.size()));
  return taken;
}

/// Takes the next word, skipping the blanks before it; empty at the end.
std::string_view TakeWord(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  return TakeUntil(rest, ' ');
}

std::optional<double> Number(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return static_cast<double>(value);
}

void ReadMemory(const Root& root, ResourceSample& sample) {
  const std::optional<std::string> text = ReadText(root, "proc/meminfo");
  if (!text) return;
  std::optional<double> total, free, buffers, cached, shared;
  std::string_view rest = *text;
  while (!rest.empty()) {
    std::string_view line = TakeUntil(rest, '\n');
    const std::string_view name = TakeUntil(line, ':');
    std::optional<double>* const wanted = name == "MemTotal"  ? &total
                                          : name == "MemFree" ? &free
                                          : name == "Buffers" ? &buffers
                                          : name == "Cached"  ? &cached
                                          : name == "Shmem"   ? &shared
                                                              : nullptr;
    if (wanted == nullptr) continue;
    const std::optional<double> kibibytes = Number(TakeWord(line));
    // The kernel writes "kB" and means 1024.
    if (kibibytes && TakeWord(line) == "kB") *wanted = *kibibytes * 1024;
  }
  if (!buffers || !cached || !shared) return;
  // The kernel adds its numbers up at slightly different moments.
  sample.page_cache_bytes = std::max(0.0, *cached + *buffers - *shared);
  if (total && free) sample.memory_used_bytes = std::max(0.0, *total - *free - *sample.page_cache_bytes);
}

/// Whether a block device's bytes are nobody else's as well.
bool IsWholeDisk(const Root& root, std::string_view name) {
  for (const std::string_view prefix : {"loop", "ram", "zram"}) {
    if (name.starts_with(prefix)) return false;
  }
  // sysfs has no slashes within names: cciss/c0d0 is cciss!c0d0 there.
  std::string folder_name(name);
  std::replace(folder_name.begin(), folder_name.end(), '/', '!');
  // Partitions have no folder here; they are inside their disk's.
  const std::filesystem::path folder = root.path / "sys/block" / folder_name;
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) return false;
  // What dm and md are made of is linked here.
  const std::filesystem::directory_iterator slaves(folder / "slaves", error);
  return error || slaves == std::filesystem::directory_iterator();
}

std::optional<Bytes> ReadDisks(const Root& root) {
  const std::optional<std::string> text = ReadText(root, "proc/diskstats");
  if (!text) return std::nullopt;
  std::optional<Bytes> bytes;
  std::string_view rest = *text;
  while (!rest.empty()) {
    std::string_view line = TakeUntil(rest, '\n');
    enum {
      kMajor,
      kMinor,
      kName,
      kReads,
      kReadsMerged,
      kSectorsRead,
      kReadTime,
      kWrites,
      kWritesMerged,
      kSectorsWritten,
      kFields
    };
    std::array<std::string_view, kFields> words;
    for (std::string_view& word : words) word = TakeWord(line);
    const std::optional<double> read = Number(words[kSectorsRead]);
    const std::optional<double> written = Number(words[kSectorsWritten]);
    // A sum without one of the disks would look like a slow disk.
    if (!read || !written) return std::nullopt;
    if (!IsWholeDisk(root, words[kName])) continue;
    if (!bytes) bytes.emplace();
    bytes->in += *read * kSectorBytes;
    bytes->out += *written * kSectorBytes;
  }
  return bytes;
}

std::optional<Bytes> ReadNetwork(const Root& root) {
  const std::optional<std::string> text = ReadText(root, "proc/net/dev");
  if (!text) return std::nullopt;
  Bytes bytes;
  std::string_view rest = *text;
  const std::string_view first = TakeUntil(rest, '\n');
  const std::string_view second = TakeUntil(rest, '\n');
  const auto is_heading = [](std::string_view line) { return line.find('|') != line.npos; };
  if (!is_heading(first) || !is_heading(second)) return std::nullopt;
  while (!rest.empty()) {
    std::string_view line = TakeUntil(rest, '\n');
    std::string_view before_colon = TakeUntil(line, ':');
    if (TakeWord(before_colon) == "lo") continue;
    constexpr std::size_t kReceived = 0, kSent = 8;
    std::array<std::string_view, kSent + 1> words;
    for (std::string_view& word : words) word = TakeWord(line);
    const std::optional<double> received = Number(words[kReceived]);
    const std::optional<double> sent = Number(words[kSent]);
    if (!received || !sent) return std::nullopt;
    bytes.in += *received;
    bytes.out += *sent;
  }
  // A machine without interfaces has received nothing: that is known, and is zero.
  return bytes;
}

}  // namespace

ResourceSample ReadResources(const Root& root, double time_s) {
  ResourceSample sample{.time_s = time_s};
  if (const auto load = ReadCpuLoad(root)) sample.cpu_busy_s = load->busy_s;
  ReadMemory(root, sample);
  if (const auto disks = ReadDisks(root)) {
    sample.disk_read_bytes = disks->in;
    sample.disk_written_bytes = disks->out;
  }
  if (const auto network = ReadNetwork(root)) {
    sample.network_received_bytes = network->in;
    sample.network_sent_bytes = network->out;
  }
  return sample;
}

}  // namespace stallscope
