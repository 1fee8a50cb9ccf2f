#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stallscope {

/// What was done to the cached pages of some files, and what could be seen of it.
struct CachePreparation {
  std::size_t files = 0;             ///< that could be opened
  std::uint64_t bytes = 0;           ///< of all files
  std::uint64_t checked_bytes = 0;   ///< of files that we may ask about: our own, or writable
  std::uint64_t resident_bytes = 0;  ///< of the checked ones, in memory afterwards
  std::string held;                  ///< a file that stayed in memory though it was evicted; empty: none
  std::string holder;                ///< who has that file mapped, where that can be seen
};

/// Writes back and evicts every page of the files: unwritten pages would stay. A file that others have mapped
/// stays in memory, and is reported as held. Files that cannot be opened are passed over; reading them will
/// complain.
CachePreparation MakeCold(std::span<const std::string> paths);

/// Reads every file once, so that its pages are in memory as far as they fit.
CachePreparation MakeWarm(std::span<const std::string> paths);

/// The share of a file's pages that are in memory, by mincore. Nothing where the kernel would not tell the
/// truth: for files of others that we may not write it says "all".
std::optional<double> ResidentShare(const std::string& path);

/// "process 4711 (python3)": one that has the file mapped, among those that this user may look into.
std::optional<std::string> MapperOf(const std::string& path);

}  // namespace stallscope
