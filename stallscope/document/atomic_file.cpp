#include "stallscope/document/atomic_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

[[noreturn]] void Fail(const std::filesystem::path& path, int error) {
  throw Error(fmt::format("cannot write '{}': {}", path.string(), std::generic_category().message(error)),
              error == ENOSPC ? "free some space on that disk"
                              : "check that the folder exists and that you may write there");
}

int WriteAll(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    done += static_cast<std::size_t>(count);
  }
  return fsync(file) == 0 ? 0 : errno;
}

}  // namespace

void WriteFileAtomically(const std::filesystem::path& path, const std::string& text) {
  std::string temporary = path.string() + ".XXXXXX";
  const int file = mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0) Fail(path, errno);
  int error = WriteAll(file, text);
  // mkostemp makes files that only their owner reads; a result is as public as its folder.
  if (error == 0 && fchmod(file, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH) != 0) error = errno;
  if (close(file) != 0 && error == 0) error = errno;
  if (error == 0 && rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(temporary.c_str());
    Fail(path, error);
  }
  // The name itself lies in the folder. Some file systems cannot flush one; the file is written then too.
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const int folder_file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_file >= 0) {
    fsync(folder_file);
    close(folder_file);
  }
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  std::error_code ignored;  // a folder opens, and reads as an empty file
  if (!file || std::filesystem::is_directory(path, ignored)) {
    throw Error(fmt::format("cannot read '{}'", path.string()), "check the path");
  }
  return text.str();
}

}  // namespace stallscope
