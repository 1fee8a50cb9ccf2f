#include "stallscope/input/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "stallscope/base/error.h"
#include "stallscope/supervise/file_descriptor.h"

namespace stallscope {
namespace {

constexpr mode_t kPublic = S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH;

[[noreturn]] void Fail(const std::string& path, int error) {
  throw Error(fmt::format("cannot write '{}': {}", path, ErrnoText(error)),
              error == ENOSPC ? "free some space on that disk, or make fewer images"
                              : "check that you may write to that folder");
}

/// 0, or the error.
int WriteAll(int file, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return 0;
}

/// For file systems without nameless files (NFS, FUSE): a hidden name, which listings pass over.
void WriteThroughHiddenName(const std::string& path, std::span<const std::uint8_t> bytes) {
  const std::filesystem::path target(path);
  const std::string hidden = target.parent_path() / ("." + target.filename().string() + ".part");
  FileDescriptor file(open(hidden.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kPublic));
  if (!file.valid()) Fail(path, errno);
  int error = WriteAll(file.get(), bytes);
  file.Close();
  if (error == 0 && rename(hidden.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(hidden.c_str());
    Fail(path, error);
  }
}

}  // namespace

void WriteWholeFile(const std::string& path, std::span<const std::uint8_t> bytes) {
  const std::string folder = std::filesystem::path(path).parent_path();
  const FileDescriptor file(open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, kPublic));
  if (!file.valid()) return WriteThroughHiddenName(path, bytes);
  if (const int error = WriteAll(file.get(), bytes); error != 0) Fail(path, error);
  const std::string nameless = fmt::format("/proc/self/fd/{}", file.get());
  if (linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0) return;
  if (errno == EEXIST) Fail(path, errno);
  WriteThroughHiddenName(path, bytes);  // no /proc here
}

}  // namespace stallscope
