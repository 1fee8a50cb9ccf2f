#include "stallscope/document/atomic_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include "stallscope/base/error.h"
#include "stallscope/base/units.h"

namespace stallscope {
namespace {

/// Some hundred times what a run of weeks leaves. /dev/zero has no end, and a parsed document takes many
/// times its text's memory.
constexpr std::size_t kLargestFile = 256'000'000;

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

std::filesystem::path FolderOf(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

/// A whole and flushed file under a name that nobody waits for; it goes away unless it was renamed.
class TemporaryFile {
 public:
  /// `pattern` ends in XXXXXX; `path` is what the file shall become, for the complaint.
  TemporaryFile(std::string pattern, const std::filesystem::path& path, const std::string& text)
      : name_(std::move(pattern)) {
    const int file = mkostemp(name_.data(), O_CLOEXEC);
    if (file < 0) Fail(path, errno);
    int error = WriteAll(file, text);
    // mkostemp makes files that only their owner reads; a result is as public as its folder.
    if (error == 0 && fchmod(file, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH) != 0) error = errno;
    if (close(file) != 0 && error == 0) error = errno;
    if (error == 0) return;
    unlink(name_.c_str());
    Fail(path, error);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!renamed_) unlink(name_.c_str());
  }

  const char* name() const { return name_.c_str(); }

  void RenameTo(const std::filesystem::path& path) {
    if (rename(name_.c_str(), path.c_str()) != 0) Fail(path, errno);
    renamed_ = true;
  }

 private:
  std::string name_;
  bool renamed_ = false;
};

/// The name itself lies in the folder. Some file systems cannot flush one; the file is written then too.
void FlushFolder(const std::filesystem::path& folder) {
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  close(file);
}

/// Over NFS the answer to a link that worked may be lost, and the question repeated: then it "exists".
bool WasLinkedAfterAll(const char* name) {
  struct stat status {};
  return stat(name, &status) == 0 && status.st_nlink == 2;
}

bool HasNoLinks(int error) {
  return error == EPERM || error == EOPNOTSUPP || error == ENOSYS || error == EMLINK;
}

}  // namespace

int LinkFile(const char* existing, const char* name) {
  return ::link(existing, name);
}

void WriteFileAtomically(const std::filesystem::path& path, const std::string& text) {
  TemporaryFile(path.string() + ".XXXXXX", path, text).RenameTo(path);
  FlushFolder(FolderOf(path));
}

bool WriteNewFileAtomically(const std::filesystem::path& path, const std::string& text, LinkFunction link) {
  const std::filesystem::path folder = FolderOf(path);
  {
    TemporaryFile temporary((folder / ".stallscope-XXXXXX").string(), path, text);
    if (link(temporary.name(), path.c_str()) != 0) {
      const int error = errno;
      if (HasNoLinks(error)) {
        struct stat ignored {};
        if (lstat(path.c_str(), &ignored) == 0) return false;
        temporary.RenameTo(path);
      } else if (!WasLinkedAfterAll(temporary.name())) {
        if (error == EEXIST) return false;
        Fail(path, error);
      }
    }
  }
  FlushFolder(folder);
  return true;
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::error_code ignored;  // a folder opens, and reads as an empty file
  std::string text;
  if (!std::filesystem::is_directory(path, ignored)) {
    std::array<char, 1 << 16> chunk{};
    while (file.read(chunk.data(), chunk.size()) || file.gcount() > 0) {
      text.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
      if (text.size() > kLargestFile) {
        throw Error(fmt::format("'{}' is larger than {}, as no document and no table is", path.string(),
                                FormatBytes(static_cast<double>(kLargestFile))),
                    "check the path");
      }
    }
    if (file.eof()) return text;
  }
  throw Error(fmt::format("cannot read '{}'", path.string()), "check the path");
}

}  // namespace stallscope
