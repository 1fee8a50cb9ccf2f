#include "stallscope/input/page_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <filesystem>
#include <fstream>

#include "stallscope/base/root.h"
#include "stallscope/supervise/file_descriptor.h"

namespace stallscope {
namespace {

struct OpenFile {
  FileDescriptor file;
  std::uint64_t bytes = 0;
  bool may_ask = false;  ///< whether mincore tells the truth to us
};

OpenFile OpenToPrepare(const std::string& path) {
  OpenFile opened{.file = FileDescriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))};
  struct stat status {};
  if (!opened.file.valid() || fstat(opened.file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  opened.bytes = static_cast<std::uint64_t>(status.st_size);
  // The kernel's own rule (mm/mincore.c): the owner, or who could open it for writing.
  opened.may_ask = status.st_uid == geteuid() || access(path.c_str(), W_OK) == 0;
  return opened;
}

std::optional<double> ResidentShareOf(const OpenFile& opened) {
  if (!opened.may_ask) return std::nullopt;
  if (opened.bytes == 0) return 0.0;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  void* mapped = mmap(nullptr, opened.bytes, PROT_READ, MAP_SHARED, opened.file.get(), 0);
  if (mapped == MAP_FAILED) return std::nullopt;
  std::vector<unsigned char> pages((opened.bytes + page - 1) / page);
  const bool told = mincore(mapped, opened.bytes, pages.data()) == 0;
  munmap(mapped, opened.bytes);
  if (!told) return std::nullopt;
  std::size_t resident = 0;
  for (const unsigned char state : pages) resident += state & 1U;
  return static_cast<double>(resident) / static_cast<double>(pages.size());
}

void ReadThrough(const OpenFile& opened, std::vector<char>& buffer) {
  std::uint64_t done = 0;
  while (done < opened.bytes) {
    const ssize_t count = pread(opened.file.get(), buffer.data(), buffer.size(), static_cast<off_t>(done));
    if (count <= 0) return;
    done += static_cast<std::uint64_t>(count);
  }
}

void Count(const OpenFile& opened, CachePreparation& done) {
  ++done.files;
  done.bytes += opened.bytes;
}

/// Counts what is in memory; gives the share.
double CountResident(const OpenFile& opened, CachePreparation& done) {
  const std::optional<double> share = ResidentShareOf(opened);
  if (!share) return 0;
  done.checked_bytes += opened.bytes;
  done.resident_bytes += static_cast<std::uint64_t>(*share * static_cast<double>(opened.bytes));
  return *share;
}

}  // namespace

CachePreparation MakeCold(std::span<const std::string> paths) {
  CachePreparation done;
  for (const std::string& path : paths) {
    const OpenFile opened = OpenToPrepare(path);
    if (!opened.file.valid()) continue;
    Count(opened, done);
    fdatasync(opened.file.get());
    posix_fadvise(opened.file.get(), 0, 0, POSIX_FADV_DONTNEED);
    if (CountResident(opened, done) > 0 && done.held.empty()) {
      // Pages of another core's batch are not on the list yet when they are evicted for the first time.
      posix_fadvise(opened.file.get(), 0, 0, POSIX_FADV_DONTNEED);
      if (ResidentShareOf(opened).value_or(0) > 0) done.held = path;
    }
  }
  if (!done.held.empty()) done.holder = MapperOf(done.held).value_or("");
  return done;
}

CachePreparation MakeWarm(std::span<const std::string> paths) {
  constexpr std::size_t kChunk = 1 << 20;
  CachePreparation done;
  std::vector<char> buffer(kChunk);
  for (const std::string& path : paths) {
    const OpenFile opened = OpenToPrepare(path);
    if (!opened.file.valid()) continue;
    Count(opened, done);
    ReadThrough(opened, buffer);
    CountResident(opened, done);
  }
  return done;
}

std::optional<double> ResidentShare(const std::string& path) {
  const OpenFile opened = OpenToPrepare(path);
  return opened.file.valid() ? ResidentShareOf(opened) : std::nullopt;
}

std::optional<std::string> MapperOf(const std::string& path) {
  std::error_code code;
  const std::string wanted = std::filesystem::canonical(path, code);
  if (code) return std::nullopt;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", code)) {
    const std::string id = entry.path().filename();
    if (std::isdigit(static_cast<unsigned char>(id.front())) == 0) continue;
    std::ifstream maps(entry.path() / "maps");
    for (std::string line; std::getline(maps, line);) {
      if (!line.ends_with(wanted)) continue;
      std::string name = ReadText({}, "proc/" + id + "/comm").value_or("?");
      while (name.ends_with('\n')) name.pop_back();
      return fmt::format("process {} ({})", id, name);
    }
  }
  return std::nullopt;
}

}  // namespace stallscope
