#include "stallscope/input/folder_entries.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <memory>

#include "stallscope/base/error.h"
#include "stallscope/supervise/file_descriptor.h"

namespace stallscope {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

[[noreturn]] void Fail(const std::string& path, int error) {
  if (error == ENOENT) {
    throw Error(fmt::format("there is no folder '{}'", path),
                fmt::format("check the path, or make a data set with `stallscope dataset make {}`", path));
  }
  if (error == ENOTDIR) {
    throw Error(fmt::format("'{}' is no folder", path), "give the folder that holds the class folders");
  }
  throw Error(fmt::format("cannot read the folder '{}': {}", path, ErrnoText(error)),
              "ask its owner for permission to read it (chmod a+rx)");
}

bool IsLink(const std::string& folder, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_LNK;
  struct stat status {};
  return lstat((folder + "/" + entry.d_name).c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

/// Most file systems tell the kind with the name; links and a few file systems need a question more.
unsigned char KindOf(const std::string& folder, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN && entry.d_type != DT_LNK) return entry.d_type;
  struct stat status {};
  if (stat((folder + "/" + entry.d_name).c_str(), &status) != 0) return DT_REG;  // a dead link is a bad file
  return S_ISDIR(status.st_mode) ? DT_DIR : DT_REG;
}

/// A data set from elsewhere could name any file of this machine.
void CheckLink(const std::string& link, const std::string& inside) {
  std::error_code dead;  // a dead link is a bad file, and is told as one
  const std::string target = std::filesystem::canonical(link, dead).string();
  if (dead || target == inside || target.starts_with(inside == "/" ? inside : inside + "/")) return;
  throw Error(fmt::format("'{}' is a link that leads out of the data folder, to '{}'", link, target),
              "give --follow if that is meant");
}

}  // namespace

FolderEntries ReadFolder(const std::string& path, const std::string& inside) {
  FolderEntries entries;
  // Before the names are read: a change in between is then noticed later.
  entries.changed_ns = FolderChangeTime(path);
  const std::unique_ptr<DIR, CloseFolder> folder(opendir(path.c_str()));
  if (!folder) Fail(path, errno);
  while (const dirent* entry = readdir(folder.get())) {
    if (entry->d_name[0] == '.') continue;
    if (!inside.empty() && IsLink(path, *entry)) CheckLink(path + "/" + entry->d_name, inside);
    (KindOf(path, *entry) == DT_DIR ? entries.folders : entries.files).emplace_back(entry->d_name);
  }
  std::sort(entries.folders.begin(), entries.folders.end());
  std::sort(entries.files.begin(), entries.files.end());
  return entries;
}

std::int64_t FolderChangeTime(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return 0;
  return status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
}

bool IsJpegName(std::string_view name) {
  const auto ends_with = [name](std::string_view ending) {
    if (name.size() <= ending.size()) return false;
    return std::equal(ending.begin(), ending.end(), name.end() - static_cast<std::ptrdiff_t>(ending.size()),
                      [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
  };
  return ends_with(".jpg") || ends_with(".jpeg");
}

}  // namespace stallscope
