#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stallscope {

/// What a folder holds, sorted by name. Names that begin with a dot are left out.
struct FolderEntries {
  std::vector<std::string> folders;
  std::vector<std::string> files;
  std::int64_t changed_ns = 0;  ///< when names last came or went
};

/// Throws Error where the folder cannot be read, or where one of its links leads out of `inside`, a path
/// without links; empty: they may lead anywhere.
FolderEntries ReadFolder(const std::string& path, const std::string& inside = "");

/// When names last came to or went from a folder; 0 where it is gone.
std::int64_t FolderChangeTime(const std::string& path);

/// .jpg or .jpeg, in any case.
bool IsJpegName(std::string_view name);

}  // namespace stallscope
