#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "stallscope/input/storage.h"
#include "stallscope/supervise/file_descriptor.h"
#include "stallscope/supervise/temporary_folder.h"
#include "stallscope/supervise/watchdog.h"

namespace stallscope {

/// A file to read from the disk that is asked about: the given one, or one that is made in the given folder
/// and removed with this object, by the watchdog if we do not live to do it. Its pages are evicted.
class DiskFile {
 public:
  /// `keep_going` is asked while the file is written; where it says false, the file stays short.
  /// Throws Error where the file cannot be made or read, or where there is too little space.
  DiskFile(const std::filesystem::path& given, Watchdog* watchdog, const std::function<bool()>& keep_going);

  const std::string& path() const { return path_; }
  std::int64_t bytes() const { return bytes_; }
  const Storage& storage() const { return storage_; }
  /// Whether reads go past the page cache.
  bool direct() const { return direct_; }
  int fd() const { return file_.get(); }

 private:
  void Make(const std::filesystem::path& folder, const std::function<bool()>& keep_going);
  void Open();

  std::optional<TemporaryFolder> folder_;
  std::string path_;
  std::int64_t bytes_ = 0;
  Storage storage_;
  bool direct_ = false;
  FileDescriptor file_;
};

/// How large a file to make where so much is free: a tenth of it, at most kLargestDiskFile; nothing where
/// that is less than kSmallestDiskFile.
inline constexpr std::int64_t kLargestDiskFile = std::int64_t{1} << 30;
inline constexpr std::int64_t kSmallestDiskFile = std::int64_t{64} << 20;
std::optional<std::int64_t> DiskFileSize(std::int64_t free_bytes);

}  // namespace stallscope
