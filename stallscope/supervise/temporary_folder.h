#pragma once

#include <filesystem>
#include <utility>

#include "stallscope/supervise/watchdog.h"

namespace stallscope {

/// A private folder (0700) below `base`, else below TMPDIR or /tmp, removed with this object, or by the
/// watchdog if we do not live to do it.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(Watchdog* watchdog = nullptr, const std::filesystem::path& base = {});
  TemporaryFolder(TemporaryFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), watched_(std::move(other.watched_)) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  Watchdog::Item watched_;
};

}  // namespace stallscope
